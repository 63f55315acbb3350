// SPDX-License-Identifier: Apache-2.0
// Performance Recommendation: the seven rules of the PyTorch profiler's TensorBoard plugin (kineto,
// tb_plugin/torch_tb_profiler/profiler/data.py, run by RunProfileData.analyze()), and our own on
// what it does not look at: pinning, waiting for copies, overlap, prefetching, start-up, memory.
// Pure functions; any thread.
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

/// In the order in which they are given. The first seven are the plugin's.
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
  std::string text;      ///< what to do, in a sentence or two
  std::string evidence;  ///< the figures that say so: "DataLoader 94.2 % of the step (limit 5 %)"
};

/// What a timeline does not hold. Rules that need what is empty keep silent.
struct RunFacts {
  std::optional<std::size_t> num_workers = std::nullopt;
  std::optional<std::size_t> prefetch_factor = std::nullopt;
  std::optional<bool> pin_memory = std::nullopt;
  std::optional<bool> non_blocking = std::nullopt;
  std::optional<bool> persistent_workers = std::nullopt;
  /// From the start of an epoch to its first batch.
  std::optional<double> first_batch_seconds = std::nullopt;
  std::optional<std::size_t> batches_per_epoch = std::nullopt;
  std::optional<std::uint64_t> host_memory_peak = std::nullopt;   ///< bytes of the process tree
  std::optional<std::uint64_t> host_memory_limit = std::nullopt;  ///< bytes it may have
};

/// What the rules look at. Refers to its parts; they must outlive it.
struct AdviceInput {
  const Timeline& timeline;
  const ExecutionSummary& execution;
  const std::vector<GpuSummary>& gpus;
  const std::vector<DeviceTimes>& devices;
  const std::vector<CopyFinding>& copies;
  const RunFacts& facts;
};

/// Nothing where no rule fires.
[[nodiscard]] std::vector<Advice> advise(const AdviceInput& input);

}  // namespace feedrate
