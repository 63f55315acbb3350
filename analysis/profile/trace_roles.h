// SPDX-License-Identifier: Apache-2.0
// What the events of a PyTorch profiler's trace count as, by the categories of Kineto
// (libkineto/include/ActivityType.h) and of the layouts before it. Pure functions; any thread.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "analysis/profile/timeline.h"
#include "analysis/profile/trace_event.h"

namespace feedrate {

enum class TraceCategory : std::uint8_t {
  /// Not kept. Among them the mirrors of ranges on a GPU's stream ("gpu_user_annotation"), which
  /// are no work of the GPU, and waits that are shown on a stream.
  kOther,
  kOperator,
  kAnnotation,
  kPython,
  kRuntime,  ///< of any vendor's runtime or driver: what launches
  kKernel,
  kMemcpy,
  kMemset,
};

/// Of a span. MTIA has one category for all that its devices do, so the rest of the event decides.
[[nodiscard]] TraceCategory trace_category(const TraceEvent& event);
[[nodiscard]] bool runs_on_gpu(TraceCategory category);

/// "XPU" of the category "xpu_runtime"; empty for CUDA, which HIP also reports as, and where the
/// category names no vendor.
[[nodiscard]] std::string accelerator_of(std::string_view category);

/// Of a span that marks no step. A kernel may turn out to be communication by what launched it.
[[nodiscard]] Role role_of(TraceCategory category, const TraceEvent& event);

/// An operator whose kernels communicate: "nccl:all_reduce".
[[nodiscard]] bool is_communication_operator(std::string_view name);

/// From where to where a copy goes, by its direction or its name: "Memcpy HtoD (Pageable ->
/// Device)".
[[nodiscard]] std::pair<MemoryKind, MemoryKind> copy_ends(const TraceEvent& event);

}  // namespace feedrate
