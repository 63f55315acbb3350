// SPDX-License-Identifier: Apache-2.0
#include "analysis/profile/trace_roles.h"

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
    CategoryName{"python", TraceCategory::kPython},
    CategoryName{"kernel", TraceCategory::kKernel},
};

// Preceded by the vendor's name, as in "cuda_runtime" and "gpu_memcpy", or alone in old layouts.
constexpr std::array kCategoriesOfVendors{
    CategoryName{"runtime", TraceCategory::kRuntime},
    CategoryName{"driver", TraceCategory::kRuntime},
    CategoryName{"memcpy", TraceCategory::kMemcpy},
    CategoryName{"memset", TraceCategory::kMemset},
};

constexpr std::string_view kMtiaEvents = "mtia_ccp_events";

TraceCategory mtia_category(std::string_view name) {
  if (name.starts_with("dma_")) return TraceCategory::kMemcpy;
  return name.starts_with("event_") ? TraceCategory::kOther : TraceCategory::kKernel;
}

bool names(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

bool is_loading(std::string_view name) {
  return (name.starts_with("enumerate(DataLoader)#") && name.ends_with(".__next__")) ||
         name.starts_with("enumerate(DataPipe)#");
}

MemoryKind memory_kind(std::string_view word) {
  if (word == "Pinned") return MemoryKind::kPinned;
  if (word == "Pageable") return MemoryKind::kPageable;
  return word == "Device" || word == "DEVICE" ? MemoryKind::kDevice : MemoryKind::kUnknown;
}

}  // namespace

TraceCategory trace_category(const TraceEvent& event) {
  const std::string_view category = event.category;
  if (category == kMtiaEvents) return mtia_category(event.name);
  for (const CategoryName& each : kCategories) {
    if (each.name == category) return each.category;
  }
  const std::string_view kind = category.substr(category.find('_') + 1);
  for (const CategoryName& each : kCategoriesOfVendors) {
    if (each.name == kind) return each.category;
  }
  return TraceCategory::kOther;
}

bool runs_on_gpu(TraceCategory category) {
  return category == TraceCategory::kKernel || category == TraceCategory::kMemcpy ||
         category == TraceCategory::kMemset;
}

std::string accelerator_of(std::string_view category) {
  const std::size_t end = category.find('_');
  if (end == std::string_view::npos) return {};
  std::string vendor(category.substr(0, end));
  const bool names_vendor =
      category == kMtiaEvents || category.ends_with("_runtime") || category.ends_with("_driver");
  if (!names_vendor || vendor == "cuda" || vendor == "glow") return {};
  std::transform(vendor.begin(), vendor.end(), vendor.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  return vendor;
}

Role role_of(TraceCategory category, const TraceEvent& event) {
  switch (category) {
    case TraceCategory::kKernel: {
      const bool communicates = event.is_collective || is_communication_kernel(event.name);
      return communicates ? Role::kCommunication : Role::kKernel;
    }
    case TraceCategory::kMemcpy:
      return Role::kMemcpy;
    case TraceCategory::kMemset:
      return Role::kMemset;
    case TraceCategory::kRuntime:
      return Role::kRuntime;
    case TraceCategory::kOperator:
    case TraceCategory::kAnnotation:
      if (is_loading(event.name)) return Role::kDataLoader;
      [[fallthrough]];
    case TraceCategory::kPython:
      return is_communication_operator(event.name) ? Role::kCommunication : Role::kCpuExec;
    case TraceCategory::kOther:
      break;
  }
  return Role::kUncounted;
}

// The plugin misses newer kernels: they have the id of an operator that it does not know.
bool is_communication_kernel(std::string_view name) {
  return name.starts_with("nccl") || name.starts_with("rccl") || name.starts_with("hccl") ||
         names(name, "ncclKernel") || names(name, "ncclDevKernel");
}

bool is_communication_operator(std::string_view name) {
  constexpr std::array<std::string_view, 5> kCollectives{"broadcast", "reduce", "all_reduce",
                                                         "all_gather", "reduce_scatter"};
  if (!name.starts_with("nccl:") && !name.starts_with("gloo:")) return false;
  return std::find(kCollectives.begin(), kCollectives.end(), name.substr(5)) != kCollectives.end();
}

std::pair<MemoryKind, MemoryKind> copy_ends(const TraceEvent& event) {
  const std::string_view name = event.name, direction = event.direction;
  const std::size_t open = name.find('('), arrow = name.find(" -> "), close = name.rfind(')');
  MemoryKind source = MemoryKind::kUnknown, target = MemoryKind::kUnknown;
  if (open < arrow && arrow != std::string_view::npos && arrow < close &&
      close != std::string_view::npos) {
    source = memory_kind(name.substr(open + 1, arrow - open - 1));
    target = memory_kind(name.substr(arrow + 4, close - arrow - 4));
  }
  if (const std::size_t to = direction.find("_TO_"); to != std::string_view::npos) {
    source = memory_kind(direction.substr(0, to));
    target = memory_kind(direction.substr(to + 4));
  }
  if (names(name, "HtoD") || names(name, "DtoD")) target = MemoryKind::kDevice;
  if (names(name, "DtoH") || names(name, "DtoD")) source = MemoryKind::kDevice;
  return {source, target};
}

}  // namespace feedrate
