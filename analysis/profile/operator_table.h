// SPDX-License-Identifier: Apache-2.0
// Operators and the user's ranges, by the shapes of their inputs where these were recorded
// (record_shapes=True). Of the whole timeline. Pure functions; any thread.
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
  Nanos host{};    ///< without the operators within it
  Nanos device{};  ///< of the kernels that it launched itself, summed up
  /// Of one call; empty unless the shapes tell.
  std::optional<double> flops;

  /// On the GPU; empty without either.
  [[nodiscard]] std::optional<double> flops_per_second() const;
};

/// By time on the GPUs, then on the host; the longest first.
[[nodiscard]] std::vector<OperatorRow> operator_table(const Timeline& timeline);

/// 2 times the multiplications of a matrix product, as torch.utils.flop_counter counts: aten::mm,
/// addmm, bmm and baddbmm. `shapes` as the trace has them, "[64,3],[3,8]". Traces do not have the
/// FLOPs that with_flops=True shows in PyTorch's own table; those of convolutions need more than
/// shapes.
[[nodiscard]] std::optional<double> matrix_flops(std::string_view operator_name,
                                                 std::string_view shapes);

}  // namespace feedrate
