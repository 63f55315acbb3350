// SPDX-License-Identifier: Apache-2.0
// Keeps cells that this machine cannot hold from running, and the prediction beside what is
// measured.
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

/// What is available and this process's own, unless a virtual machine's memory may grow; of the
/// memory not more than its control group's limit.
[[nodiscard]] MemoryRoom memory_room(const MemoryInfo& info = read_memory_info());

/// Any thread.
class MemoryGuard {
 public:
  /// Without `sample_bytes`, 0, nothing is predicted, and everything fits.
  MemoryGuard(std::uint64_t seed, std::size_t sample_bytes, const MemoryRoom& room);

  /// Of all ranks of a node.
  [[nodiscard]] std::optional<MemoryNeed> need(const CellSpec& spec) const;
  [[nodiscard]] const MemoryRoom& room() const noexcept { return room_; }

  /// Pending cells that need more than there is become skipped, with both figures.
  void skip_what_does_not_fit(RunResult& run) const;
  /// Gives a measured cell the metrics memory_predicted and pinned_memory_predicted.
  void add_prediction(CellResult& cell) const;

 private:
  std::uint64_t seed_;
  std::size_t sample_bytes_;
  MemoryRoom room_;
  ProcessSizes native_;
  ProcessSizes torch_;
};

/// For a sample as the pipeline makes it, by the first record's header; predicts nothing where the
/// dataset is not there yet, is the user's own, or cannot be read, of which `problem` then speaks.
/// Without measure.memory_guard there is room for everything.
[[nodiscard]] MemoryGuard make_memory_guard(const SweepConfig& config, std::string& problem);

}  // namespace feedrate
