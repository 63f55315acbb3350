// SPDX-License-Identifier: Apache-2.0
#include "profile/trace_roles.h"

#include <algorithm>
#include <array>

namespace feedrate {
namespace {

struct CategoryName {
  std::string_view name;
  TraceCategory category;
};

constexpr std::array kCategories{
    CategoryName{"cpu_op", TraceCategory::kOperator},
    CategoryName{"operator", TraceCategory::kOperator},
    CategoryName{"user_annotation", TraceCategory::kAnnotation},
    CategoryName{"gpu_user_annotation", TraceCategory::kGpuAnnotation},
    CategoryName{"python", TraceCategory::kPython},
    CategoryName{"cuda_runtime", TraceCategory::kRuntime},
    CategoryName{"runtime", TraceCategory::kRuntime},
    CategoryName{"mtia_runtime", TraceCategory::kRuntime},
    CategoryName{"glow_runtime", TraceCategory::kRuntime},
    CategoryName{"xpu_runtime", TraceCategory::kRuntime},
    CategoryName{"privateuse1_runtime", TraceCategory::kRuntime},
    CategoryName{"cuda_driver", TraceCategory::kDriver},
    CategoryName{"kernel", TraceCategory::kKernel},
    CategoryName{"gpu_memcpy", TraceCategory::kMemcpy},
    CategoryName{"memcpy", TraceCategory::kMemcpy},
    CategoryName{"gpu_memset", TraceCategory::kMemset},
    CategoryName{"memset", TraceCategory::kMemset},
};

bool names(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// What the plugin misses: newer kernels bear the id of an operator that it does not know.
bool is_communication_kernel(std::string_view name) {
  return name.starts_with("nccl") || name.starts_with("rccl") || name.starts_with("hccl") ||
         names(name, "ncclKernel") || names(name, "ncclDevKernel");
}

bool is_loading(std::string_view name) {
  return (name.starts_with("enumerate(DataLoader)#") && name.ends_with(".__next__")) ||
         name.starts_with("enumerate(DataPipe)#");
}

MemoryKind memory_kind(std::string_view word) {
  if (word == "Pinned") return MemoryKind::kPinned;
  if (word == "Pageable") return MemoryKind::kPageable;
  return word == "Device" ? MemoryKind::kDevice : MemoryKind::kUnknown;
}

}  // namespace

TraceCategory trace_category(std::string_view category) {
  const auto* const known =
      std::find_if(kCategories.begin(), kCategories.end(),
                   [&](const CategoryName& each) { return each.name == category; });
  return known == kCategories.end() ? TraceCategory::kOther : known->category;
}

bool runs_on_gpu(TraceCategory category) {
  return category == TraceCategory::kKernel || category == TraceCategory::kMemcpy ||
         category == TraceCategory::kMemset || category == TraceCategory::kGpuAnnotation;
}

Role role_of(TraceCategory category, std::string_view name) {
  switch (category) {
    case TraceCategory::kKernel:
      return is_communication_kernel(name) ? Role::kCommunication : Role::kKernel;
    case TraceCategory::kMemcpy:
      return Role::kMemcpy;
    case TraceCategory::kMemset:
      return Role::kMemset;
    case TraceCategory::kRuntime:
      return Role::kRuntime;
    case TraceCategory::kOperator:
    case TraceCategory::kAnnotation:
    case TraceCategory::kGpuAnnotation:
      if (is_loading(name)) return Role::kDataLoader;
      [[fallthrough]];
    case TraceCategory::kPython:
      return is_communication_operator(name) ? Role::kCommunication : Role::kCpuExec;
    case TraceCategory::kDriver:
    case TraceCategory::kOther:
      break;
  }
  return Role::kUncounted;
}

bool is_communication_operator(std::string_view name) {
  constexpr std::array<std::string_view, 5> kCollectives{"broadcast", "reduce", "all_reduce",
                                                         "all_gather", "reduce_scatter"};
  if (!name.starts_with("nccl:") && !name.starts_with("gloo:")) return false;
  return std::find(kCollectives.begin(), kCollectives.end(), name.substr(5)) != kCollectives.end();
}

std::pair<MemoryKind, MemoryKind> copy_ends(std::string_view name) {
  const std::size_t open = name.find('('), arrow = name.find(" -> "), close = name.rfind(')');
  MemoryKind source = MemoryKind::kUnknown, target = MemoryKind::kUnknown;
  if (open < arrow && arrow != std::string_view::npos && arrow < close &&
      close != std::string_view::npos) {
    source = memory_kind(name.substr(open + 1, arrow - open - 1));
    target = memory_kind(name.substr(arrow + 4, close - arrow - 4));
  }
  if (names(name, "HtoD") || names(name, "DtoD")) target = MemoryKind::kDevice;
  if (names(name, "DtoH") || names(name, "DtoD")) source = MemoryKind::kDevice;
  return {source, target};
}

}  // namespace feedrate
