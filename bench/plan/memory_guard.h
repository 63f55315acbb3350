// SPDX-License-Identifier: Apache-2.0
// Skips cells that need more memory than the machine has, and adds the prediction to the
// measurements.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "bench/plan/config.h"
#include "bench/plan/memory_model.h"
#include "core/host/memory.h"
#include "core/result.h"

namespace feedrate {

/// The available memory plus this process's own, unless the memory of a virtual machine may grow;
/// at most the limit of the control group.
[[nodiscard]] AvailableMemory available_memory(const MemoryInfo& info = read_memory_info());

/// Any thread.
class MemoryGuard {
 public:
  /// If `sample_bytes` is 0, nothing is predicted and everything fits.
  MemoryGuard(std::uint64_t seed, std::size_t sample_bytes, const AvailableMemory& available);

  /// The sum over all ranks of a node.
  [[nodiscard]] std::optional<MemoryNeed> need(const CellSpec& spec) const;
  [[nodiscard]] const AvailableMemory& available() const noexcept { return available_; }

  /// Marks pending cells that need too much as skipped, with both figures.
  void skip_what_does_not_fit(RunResult& run) const;
  /// Gives a measured cell the metrics memory_predicted and pinned_memory_predicted.
  void add_prediction(CellResult& cell) const;

 private:
  std::uint64_t seed_;
  std::size_t sample_bytes_;
  AvailableMemory available_;
  ProcessSizes native_;
  ProcessSizes torch_;
};

/// Takes the sample's size from the first record's header. Predicts nothing if the dataset does not
/// exist yet, is the user's own, or cannot be read, which `problem` explains. Without
/// measure.memory_guard everything fits.
[[nodiscard]] MemoryGuard make_memory_guard(const SweepConfig& config, std::string& problem);

}  // namespace feedrate
