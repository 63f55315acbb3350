// SPDX-License-Identifier: Apache-2.0
// How a device is driven, where a program may choose. The real device and the simulated one take
// the same options. Plain values.
#pragma once
#include <compare>

namespace feedrate {

/// How a thread waits for the device.
enum class SyncPolicy {
  /// CUDA: what PyTorch has, cudaDeviceScheduleAuto, which spins unless there are more contexts
  /// than CPUs. Simulated: spins where the preset was calibrated on a GPU, else sleeps.
  kAuto,
  kSpin,   ///< asks without end: wakes up first, and keeps a core busy
  kYield,  ///< asks without end, and offers the core to other threads in between
  kBlock,  ///< sleeps until the device wakes it: the core is free, waking up takes longer
};

/// Where page-locked memory comes from.
enum class PinAllocator {
  kHostAlloc,  ///< cudaHostAlloc, as PyTorch does by default
  /// Pages of its own, touched by several threads, then cudaHostRegister: PyTorch's
  /// pinned_use_cuda_host_register with its threads.
  kRegister,
};

struct DeviceOptions {
  SyncPolicy sync = SyncPolicy::kAuto;
  PinAllocator pin_allocator = PinAllocator::kHostAlloc;
  friend auto operator<=>(const DeviceOptions&, const DeviceOptions&) = default;
};

}  // namespace feedrate
