// SPDX-License-Identifier: Apache-2.0
// Performance Recommendation: the seven rules of the PyTorch profiler's TensorBoard plugin (kineto,
// tb_plugin/torch_tb_profiler/profiler/data.py, RunProfileData.analyze()), and feedrate's own rules
// on pinning, waits for copies, overlap, prefetching, start-up and memory. Pure functions; any
// thread.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/profile/copy_findings.h"
#include "analysis/profile/execution_summary.h"
#include "analysis/profile/gpu_summary.h"
#include "analysis/profile/idle.h"
#include "analysis/profile/timeline.h"

namespace feedrate {

/// Rules in the order of the output; the first seven are the plugin's.
enum class AdviceRule : std::uint8_t {
  kDataLoading,
  kDataParallel,
  kNccl,
  kCommunication,
  kLowUtilization,
  kMixedPrecision,
  kDeviceMemory,
  kSynchronization,
  kHostBound,
  kPageableCopies,
  kBlockingCopies,
  kCopyOverlap,
  kPrefetch,
  kStartUp,
  kHostMemory,
};

struct Advice {
  AdviceRule rule{};
  std::string text;      ///< what to do, in one or two sentences
  std::string evidence;  ///< its figures: "DataLoader 94.2 % of the step (limit 5 %)"
};

/// Facts that a timeline lacks. A rule whose facts are empty gives no advice.
struct RunFacts {
  std::optional<std::size_t> num_workers = std::nullopt;
  std::optional<std::size_t> prefetch_factor = std::nullopt;
  std::optional<bool> pin_memory = std::nullopt;
  std::optional<bool> non_blocking = std::nullopt;
  std::optional<bool> persistent_workers = std::nullopt;
  /// Time from the start of an epoch to its first batch.
  std::optional<double> first_batch_seconds = std::nullopt;
  std::optional<std::size_t> batches_per_epoch = std::nullopt;
  std::optional<std::uint64_t> host_memory_peak = std::nullopt;   ///< bytes of the process tree
  std::optional<std::uint64_t> host_memory_limit = std::nullopt;  ///< bytes the tree may use
};

/// The input of the rules. It refers to its parts, which must outlive it.
struct AdviceInput {
  const Timeline& timeline;
  const ExecutionSummary& execution;
  const std::vector<GpuSummary>& gpus;
  const std::vector<DeviceTimes>& devices;
  const std::vector<CopyFinding>& copies;
  const RunFacts& facts;
};

[[nodiscard]] std::vector<Advice> advise(const AdviceInput& input);

}  // namespace feedrate
