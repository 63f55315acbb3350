// SPDX-License-Identifier: Apache-2.0
// GPU time by kernel and by type over the whole timeline and all GPUs: the kernel view of the
// PyTorch profiler's TensorBoard plugin (kineto,
// tb_plugin/torch_tb_profiler/profiler/kernel_parser.py), and the types of Holistic Trace Analysis.
// Pure functions; any thread.
#pragma once
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "analysis/profile/timeline.h"

namespace feedrate {

/// A sum of durations; concurrent work counts twice.
struct WorkSum {
  std::size_t count = 0;
  Nanos time{};
};

struct KernelRow {
  NameId name = 0;
  WorkSum sum;
  Nanos longest{};
  std::optional<bool> on_tensor_cores;  ///< empty: unknown by its name
};

inline constexpr std::array kWorkTypes{Role::kKernel, Role::kCommunication, Role::kMemcpy,
                                       Role::kMemset};

struct KernelTable {
  std::vector<KernelRow> kernels;                  ///< longest total time first
  std::array<WorkSum, kWorkTypes.size()> types{};  ///< in the order of kWorkTypes
  /// Part of the compute kernels; empty if names do not tell.
  std::optional<WorkSum> on_tensor_cores;

  [[nodiscard]] Nanos total() const;
};

[[nodiscard]] KernelTable kernel_table(const Timeline& timeline);

/// "Compute", "Communication", "Memcpy", "Memset".
[[nodiscard]] std::string_view work_type_title(Role type);

}  // namespace feedrate
