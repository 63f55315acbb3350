// SPDX-License-Identifier: Apache-2.0
// Compares the declared record fields with all versions of each record in CUPTI's header.
#include <gtest/gtest.h>

#if __has_include(<cupti.h>)
#include <cupti.h>
#endif

#include "device/cuda/cupti_library.h"
#include "device/cuda/cupti_records.h"

namespace feedrate::cupti {
namespace {

#if __has_include(<cupti.h>)

#define EXPECT_SAME_OFFSET(Theirs, their_field, Ours, our_field)             \
  static_assert(offsetof(Theirs, their_field) == offsetof(Ours, our_field)); \
  static_assert(sizeof(Theirs::their_field) == sizeof(Ours::our_field));     \
  static_assert(sizeof(Theirs) >= sizeof(Ours))

template <typename Theirs>
void expect_memcpy() {
  EXPECT_SAME_OFFSET(Theirs, copyKind, MemcpyRecord, copy_kind);
  EXPECT_SAME_OFFSET(Theirs, srcKind, MemcpyRecord, source_kind);
  EXPECT_SAME_OFFSET(Theirs, dstKind, MemcpyRecord, target_kind);
  EXPECT_SAME_OFFSET(Theirs, flags, MemcpyRecord, flags);
  EXPECT_SAME_OFFSET(Theirs, bytes, MemcpyRecord, bytes);
  EXPECT_SAME_OFFSET(Theirs, start, MemcpyRecord, start);
  EXPECT_SAME_OFFSET(Theirs, end, MemcpyRecord, end);
  EXPECT_SAME_OFFSET(Theirs, deviceId, MemcpyRecord, device);
  EXPECT_SAME_OFFSET(Theirs, streamId, MemcpyRecord, stream);
  EXPECT_SAME_OFFSET(Theirs, correlationId, MemcpyRecord, correlation);
}

template <typename Theirs>
void expect_memset() {
  EXPECT_SAME_OFFSET(Theirs, bytes, MemsetRecord, bytes);
  EXPECT_SAME_OFFSET(Theirs, start, MemsetRecord, start);
  EXPECT_SAME_OFFSET(Theirs, end, MemsetRecord, end);
  EXPECT_SAME_OFFSET(Theirs, deviceId, MemsetRecord, device);
  EXPECT_SAME_OFFSET(Theirs, streamId, MemsetRecord, stream);
  EXPECT_SAME_OFFSET(Theirs, correlationId, MemsetRecord, correlation);
  EXPECT_SAME_OFFSET(Theirs, flags, MemsetRecord, flags);
  EXPECT_SAME_OFFSET(Theirs, memoryKind, MemsetRecord, memory_kind);
}

template <typename Theirs>
void expect_kernel() {
  EXPECT_SAME_OFFSET(Theirs, registersPerThread, KernelRecord, registers_per_thread);
  EXPECT_SAME_OFFSET(Theirs, start, KernelRecord, start);
  EXPECT_SAME_OFFSET(Theirs, end, KernelRecord, end);
  EXPECT_SAME_OFFSET(Theirs, deviceId, KernelRecord, device);
  EXPECT_SAME_OFFSET(Theirs, streamId, KernelRecord, stream);
  EXPECT_SAME_OFFSET(Theirs, gridX, KernelRecord, grid[0]);
  EXPECT_SAME_OFFSET(Theirs, gridZ, KernelRecord, grid[2]);
  EXPECT_SAME_OFFSET(Theirs, blockX, KernelRecord, block[0]);
  EXPECT_SAME_OFFSET(Theirs, blockZ, KernelRecord, block[2]);
  EXPECT_SAME_OFFSET(Theirs, staticSharedMemory, KernelRecord, static_shared_bytes);
  EXPECT_SAME_OFFSET(Theirs, dynamicSharedMemory, KernelRecord, dynamic_shared_bytes);
  EXPECT_SAME_OFFSET(Theirs, correlationId, KernelRecord, correlation);
  EXPECT_SAME_OFFSET(Theirs, name, KernelRecord, name);
}

template <typename Theirs>
void expect_call() {
  EXPECT_SAME_OFFSET(Theirs, cbid, CallRecord, call);
  EXPECT_SAME_OFFSET(Theirs, start, CallRecord, start);
  EXPECT_SAME_OFFSET(Theirs, end, CallRecord, end);
  EXPECT_SAME_OFFSET(Theirs, threadId, CallRecord, thread);
  EXPECT_SAME_OFFSET(Theirs, correlationId, CallRecord, correlation);
}

template <typename Theirs>
void expect_synchronization() {
  EXPECT_SAME_OFFSET(Theirs, type, SynchronizationRecord, type);
  EXPECT_SAME_OFFSET(Theirs, start, SynchronizationRecord, start);
  EXPECT_SAME_OFFSET(Theirs, end, SynchronizationRecord, end);
  EXPECT_SAME_OFFSET(Theirs, streamId, SynchronizationRecord, stream);
  EXPECT_SAME_OFFSET(Theirs, correlationId, SynchronizationRecord, correlation);
}

template <typename Theirs>
void expect_overhead() {
  EXPECT_SAME_OFFSET(Theirs, overheadKind, OverheadRecord, overhead_kind);
  EXPECT_SAME_OFFSET(Theirs, start, OverheadRecord, start);
  EXPECT_SAME_OFFSET(Theirs, end, OverheadRecord, end);
}

TEST(CuptiLayout, records_begin_as_cupti_declares_them) {
  expect_call<CUpti_ActivityAPI>();
  // The oldest versions in the headers of CUDA 12 and 13 come first.
  expect_memcpy<CUpti_ActivityMemcpy>();
  expect_memcpy<CUpti_ActivityMemcpy5>();
  expect_memset<CUpti_ActivityMemset>();
  expect_memset<CUpti_ActivityMemset4>();
  expect_kernel<CUpti_ActivityKernel4>();
  expect_kernel<CUpti_ActivityKernel5>();
  expect_kernel<CUpti_ActivityKernel6>();
  expect_kernel<CUpti_ActivityKernel7>();
  expect_kernel<CUpti_ActivityKernel8>();
  expect_synchronization<CUpti_ActivitySynchronization>();
  expect_overhead<CUpti_ActivityOverhead>();
#if CUPTI_API_VERSION >= 130000
  expect_memcpy<CUpti_ActivityMemcpy6>();
  expect_kernel<CUpti_ActivityKernel9>();
  expect_kernel<CUpti_ActivityKernel10>();
  expect_synchronization<CUpti_ActivitySynchronization2>();
  expect_overhead<CUpti_ActivityOverhead3>();
#endif
}

TEST(CuptiLayout, constants_equal_cuptis) {
  static_assert(kMemcpy == CUPTI_ACTIVITY_KIND_MEMCPY);
  static_assert(kMemset == CUPTI_ACTIVITY_KIND_MEMSET);
  static_assert(kRuntime == CUPTI_ACTIVITY_KIND_RUNTIME);
  static_assert(kConcurrentKernel == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  static_assert(kOverhead == CUPTI_ACTIVITY_KIND_OVERHEAD);
  static_assert(kSynchronization == CUPTI_ACTIVITY_KIND_SYNCHRONIZATION);
  static_assert(kSuccess == CUPTI_SUCCESS);
  static_assert(kMaxLimitReached == CUPTI_ERROR_MAX_LIMIT_REACHED);
  static_assert(kMultipleSubscribers == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
  static_assert(kMemoryPageable == CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE);
  static_assert(kMemoryPinned == CUPTI_ACTIVITY_MEMORY_KIND_PINNED);
  static_assert(kMemoryManagedStatic == CUPTI_ACTIVITY_MEMORY_KIND_MANAGED_STATIC);
  static_assert(kCopyHostToDevice == CUPTI_ACTIVITY_MEMCPY_KIND_HTOD);
  static_assert(kCopyDeviceToHost == CUPTI_ACTIVITY_MEMCPY_KIND_DTOH);
  static_assert(kFlagAsync == CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC);
  static_assert(kFlagAsync == CUPTI_ACTIVITY_FLAG_MEMSET_ASYNC);
  static_assert(kSyncEvent == CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_EVENT_SYNCHRONIZE);
  static_assert(kSyncStreamWaitsEvent == CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_WAIT_EVENT);
  static_assert(kSyncStream == CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE);
  static_assert(kSyncContext == CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE);
  static_assert(kNoStream == static_cast<std::uint32_t>(CUPTI_SYNCHRONIZATION_INVALID_VALUE));
}

#else

TEST(CuptiLayout, records_begin_as_cupti_declares_them) {
  GTEST_SKIP() << "no cupti.h: this build has no CUDA toolkit";
}

#endif

}  // namespace
}  // namespace feedrate::cupti
