// SPDX-License-Identifier: Apache-2.0
// Sample CUPTI records, one of each kind.
#pragma once
#include <cstdint>

#include "device/cuda/cupti_records.h"

namespace feedrate::testing {

inline cupti::MemcpyRecord sample_copy(std::uint64_t start, std::uint64_t end) {
  return {.kind = cupti::kMemcpy,
          .copy_kind = cupti::kCopyHostToDevice,
          .source_kind = cupti::kMemoryPinned,
          .target_kind = cupti::kMemoryDevice,
          .flags = cupti::kFlagAsync,
          .bytes = 4096,
          .start = start,
          .end = end,
          .device = 1,
          .context = 2,
          .stream = 14,
          .correlation = 77};
}

inline cupti::MemsetRecord sample_memset(std::uint64_t start, std::uint64_t end) {
  return {.kind = cupti::kMemset,
          .value = 0,
          .bytes = 8,
          .start = start,
          .end = end,
          .device = 1,
          .context = 2,
          .stream = 7,
          .correlation = 78,
          .flags = 0,
          .memory_kind = cupti::kMemoryDevice,
          .padding = 0};
}

inline cupti::KernelRecord sample_kernel(std::uint64_t start, std::uint64_t end, const char* name) {
  return {.kind = cupti::kConcurrentKernel,
          .cache_config = 0,
          .shared_memory_config = 0,
          .registers_per_thread = 32,
          .partitioned_cache = {0, 0},
          .start = start,
          .end = end,
          .completed = end,
          .device = 1,
          .context = 2,
          .stream = 7,
          .grid = {10, 3, 2},
          .block = {64, 4, 1},
          .static_shared_bytes = 1024,
          .dynamic_shared_bytes = 512,
          .local_memory_per_thread = 0,
          .local_memory_total = 0,
          .correlation = 79,
          .grid_id = 0,
          .name = name};
}

inline cupti::CallRecord sample_call(std::uint64_t start, std::uint64_t end, std::uint32_t call) {
  return {.kind = cupti::kRuntime,
          .call = call,
          .start = start,
          .end = end,
          .process = 100,
          .thread = 101,
          .correlation = 79,
          .result = 0};
}

inline cupti::SynchronizationRecord sample_wait(std::uint64_t start, std::uint64_t end,
                                                std::uint32_t type, std::uint32_t stream) {
  return {.kind = cupti::kSynchronization,
          .type = type,
          .start = start,
          .end = end,
          .correlation = 80,
          .context = 2,
          .stream = stream,
          .event = 0};
}

inline cupti::OverheadRecord sample_overhead(std::uint64_t start, std::uint64_t end,
                                             std::uint32_t what) {
  return {.kind = cupti::kOverhead,
          .overhead_kind = what,
          .object_kind = 0,
          .object = {0, 0, 0},
          .start = start,
          .end = end};
}

}  // namespace feedrate::testing
