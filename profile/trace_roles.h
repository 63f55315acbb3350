// SPDX-License-Identifier: Apache-2.0
// What the events of a PyTorch profiler's trace count as: the mapping of the profiler's TensorBoard
// plugin. Pure functions; any thread.
#pragma once
#include <cstdint>
#include <string_view>
#include <utility>

#include "profile/timeline.h"

namespace feedrate {

/// The layouts of PyTorch 1.8 to today name the same things differently.
enum class TraceCategory : std::uint8_t {
  kOther,
  kOperator,
  kAnnotation,
  kGpuAnnotation,  ///< the mirror of an annotation on a GPU's stream
  kPython,
  kRuntime,
  kDriver,  ///< cuLaunchKernel: kept, since it launches, and not counted
  kKernel,
  kMemcpy,
  kMemset,
};

/// `category` is in lower case.
[[nodiscard]] TraceCategory trace_category(std::string_view category);
[[nodiscard]] bool runs_on_gpu(TraceCategory category);

/// Of a span that marks no step. A kernel may turn out to be communication by what launched it.
[[nodiscard]] Role role_of(TraceCategory category, std::string_view name);

/// An operator whose kernels communicate: "nccl:all_reduce".
[[nodiscard]] bool is_communication_operator(std::string_view name);

/// From where to where "Memcpy HtoD (Pageable -> Device)" copies.
[[nodiscard]] std::pair<MemoryKind, MemoryKind> copy_ends(std::string_view name);

}  // namespace feedrate
