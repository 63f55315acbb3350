// SPDX-License-Identifier: Apache-2.0
// The leading fields of the records of CUPTI's activity API. Newer CUPTI versions only append
// fields, so these offsets hold from CUPTI 11 to 13. Plain values; needs no CUPTI header.
#pragma once
#include <cstddef>
#include <cstdint>

namespace feedrate::cupti {

/// CUpti_ActivityKind
inline constexpr std::uint32_t kMemcpy = 1;
inline constexpr std::uint32_t kMemset = 2;
inline constexpr std::uint32_t kRuntime = 5;
inline constexpr std::uint32_t kConcurrentKernel = 10;
inline constexpr std::uint32_t kOverhead = 17;
inline constexpr std::uint32_t kSynchronization = 38;

struct Record {
  std::uint32_t kind;
};

/// CUpti_ActivityMemcpy to …6
struct MemcpyRecord {
  std::uint32_t kind;
  std::uint8_t copy_kind;
  std::uint8_t source_kind;
  std::uint8_t target_kind;
  std::uint8_t flags;
  std::uint64_t bytes;
  std::uint64_t start;
  std::uint64_t end;
  std::uint32_t device;
  std::uint32_t context;
  std::uint32_t stream;
  std::uint32_t correlation;
};

/// CUpti_ActivityMemset to …4
struct MemsetRecord {
  std::uint32_t kind;
  std::uint32_t value;
  std::uint64_t bytes;
  std::uint64_t start;
  std::uint64_t end;
  std::uint32_t device;
  std::uint32_t context;
  std::uint32_t stream;
  std::uint32_t correlation;
  std::uint16_t flags;
  std::uint16_t memory_kind;
  std::uint32_t padding;
};

/// CUpti_ActivityKernel4 to …10
struct KernelRecord {
  std::uint32_t kind;
  std::uint8_t cache_config;
  std::uint8_t shared_memory_config;
  std::uint16_t registers_per_thread;
  std::uint32_t partitioned_cache[2];
  std::uint64_t start;
  std::uint64_t end;
  std::uint64_t completed;
  std::uint32_t device;
  std::uint32_t context;
  std::uint32_t stream;
  std::int32_t grid[3];
  std::int32_t block[3];
  std::int32_t static_shared_bytes;
  std::int32_t dynamic_shared_bytes;
  std::uint32_t local_memory_per_thread;
  std::uint32_t local_memory_total;
  std::uint32_t correlation;
  std::int64_t grid_id;
  const char* name;  ///< owned by the library, valid while it is loaded
};

/// CUpti_ActivityAPI
struct CallRecord {
  std::uint32_t kind;
  std::uint32_t call;
  std::uint64_t start;
  std::uint64_t end;
  std::uint32_t process;
  std::uint32_t thread;
  std::uint32_t correlation;
  std::uint32_t result;
};

/// CUpti_ActivitySynchronization, …2
struct SynchronizationRecord {
  std::uint32_t kind;
  std::uint32_t type;
  std::uint64_t start;
  std::uint64_t end;
  std::uint32_t correlation;
  std::uint32_t context;
  std::uint32_t stream;
  std::uint32_t event;
};

/// CUpti_ActivityOverhead to …3
struct OverheadRecord {
  std::uint32_t kind;
  std::uint32_t overhead_kind;
  std::uint32_t object_kind;
  std::uint32_t object[3];
  std::uint64_t start;
  std::uint64_t end;
};

static_assert(offsetof(MemcpyRecord, start) == 16 && offsetof(MemcpyRecord, correlation) == 44);
static_assert(offsetof(MemsetRecord, start) == 16 && offsetof(MemsetRecord, memory_kind) == 50);
static_assert(offsetof(KernelRecord, start) == 16 && offsetof(KernelRecord, grid) == 52);
static_assert(offsetof(KernelRecord, correlation) == 92 && offsetof(KernelRecord, name) == 104);
static_assert(offsetof(CallRecord, start) == 8 && offsetof(CallRecord, correlation) == 32);
static_assert(offsetof(SynchronizationRecord, correlation) == 24);
static_assert(offsetof(OverheadRecord, start) == 24);

inline constexpr std::uint8_t kMemoryPageable = 1;  ///< CUpti_ActivityMemoryKind
inline constexpr std::uint8_t kMemoryPinned = 2;
inline constexpr std::uint8_t kMemoryDevice = 3;
inline constexpr std::uint8_t kMemoryArray = 4;
inline constexpr std::uint8_t kMemoryManaged = 5;
inline constexpr std::uint8_t kMemoryDeviceStatic = 6;
inline constexpr std::uint8_t kMemoryManagedStatic = 7;

inline constexpr std::uint8_t kCopyHostToDevice = 1;  ///< CUpti_ActivityMemcpyKind
inline constexpr std::uint8_t kCopyDeviceToHost = 2;
inline constexpr std::uint8_t kCopyDeviceToDevice = 8;
inline constexpr std::uint8_t kCopyHostToHost = 9;
inline constexpr std::uint8_t kCopyPeerToPeer = 10;

inline constexpr std::uint32_t kFlagAsync = 1;  ///< in records of copies and memsets

/// CUpti_ActivitySynchronizationType
inline constexpr std::uint32_t kSyncEvent = 1;
inline constexpr std::uint32_t kSyncStreamWaitsEvent = 2;
inline constexpr std::uint32_t kSyncStream = 3;
inline constexpr std::uint32_t kSyncContext = 4;
inline constexpr std::uint32_t kNoStream = 0xffffffff;  ///< the record concerns no stream

}  // namespace feedrate::cupti
