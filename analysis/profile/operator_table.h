// SPDX-License-Identifier: Apache-2.0
// Operators and the user's ranges over the whole timeline, grouped by input shapes if recorded
// (record_shapes=True). Pure functions; any thread.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "analysis/profile/timeline.h"

namespace feedrate {

struct OperatorRow {
  NameId name = 0;
  NameId shapes = kNoName;
  std::size_t calls = 0;
  Nanos host{};    ///< without nested operators
  Nanos device{};  ///< of the kernels that it launched itself, summed
  /// FLOPs of one call; empty unless the shapes determine them.
  std::optional<double> flops;

  /// Rate on the GPU; empty without FLOPs or GPU time.
  [[nodiscard]] std::optional<double> flops_per_second() const;
};

/// Sorted by GPU time, then host time, longest first.
[[nodiscard]] std::vector<OperatorRow> operator_table(const Timeline& timeline);

/// Twice the multiplications of a matrix product, as torch.utils.flop_counter counts: aten::mm,
/// addmm, bmm and baddbmm. `shapes` are as in the trace: "[64,3],[3,8]". Traces lack the FLOPs that
/// with_flops=True shows in PyTorch's own table, and shapes do not determine those of convolutions.
[[nodiscard]] std::optional<double> matrix_flops(std::string_view operator_name,
                                                 std::string_view shapes);

}  // namespace feedrate
