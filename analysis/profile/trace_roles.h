// SPDX-License-Identifier: Apache-2.0
// Roles of the events in a PyTorch profiler trace, by the categories of Kineto
// (libkineto/include/ActivityType.h) and of earlier layouts. Pure functions; any thread.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "analysis/profile/timeline.h"
#include "analysis/profile/trace_event.h"

namespace feedrate {

enum class TraceCategory : std::uint8_t {
  /// Events that are not kept, among them copies of ranges on a GPU's stream
  /// ("gpu_user_annotation"), which are no GPU work, and waits shown on a stream.
  kOther,
  kOperator,
  kAnnotation,
  kPython,
  kRuntime,  ///< calls of any vendor's runtime or driver
  kKernel,
  kMemcpy,
  kMemset,
};

/// The category of a span. MTIA has one category for all work of its devices, so the name also
/// decides.
[[nodiscard]] TraceCategory trace_category(const TraceEvent& event);
[[nodiscard]] bool runs_on_gpu(TraceCategory category);

/// "XPU" for the category "xpu_runtime"; empty for CUDA, as which HIP is reported, and for
/// categories without a vendor.
[[nodiscard]] std::string accelerator_of(std::string_view category);

/// The role of a span that is not a step. A kernel may later become communication by its operator.
[[nodiscard]] Role role_of(TraceCategory category, const TraceEvent& event);

/// Whether a kernel is NCCL's, RCCL's or HCCL's.
[[nodiscard]] bool is_communication_kernel(std::string_view name);

/// Whether an operator's kernels communicate: "nccl:all_reduce".
[[nodiscard]] bool is_communication_operator(std::string_view name);

/// Source and target of a copy, by its direction or its name: "Memcpy HtoD (Pageable -> Device)".
[[nodiscard]] std::pair<MemoryKind, MemoryKind> copy_ends(const TraceEvent& event);

}  // namespace feedrate
