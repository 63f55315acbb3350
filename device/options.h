// SPDX-License-Identifier: Apache-2.0
// Options of the real and of the simulated device. Plain values.
#pragma once
#include <compare>

namespace feedrate {

enum class SyncPolicy {
  /// CUDA: PyTorch's default, cudaDeviceScheduleAuto, which spins unless there are more contexts
  /// than CPUs. Simulated: spins if the preset was calibrated on a GPU, else sleeps.
  kAuto,
  kSpin,   ///< polls: wakes up first, and keeps a core busy
  kYield,  ///< polls, and yields the core to other threads between queries
  kBlock,  ///< sleeps until the device signals: the core is free, but waking up takes longer
};

enum class PinAllocator {
  kHostAlloc,  ///< cudaHostAlloc, as PyTorch does by default
  /// Own pages, touched by several threads, then cudaHostRegister: PyTorch's
  /// pinned_use_cuda_host_register with its threads.
  kRegister,
};

struct DeviceOptions {
  SyncPolicy sync = SyncPolicy::kAuto;
  PinAllocator pin_allocator = PinAllocator::kHostAlloc;
  friend auto operator<=>(const DeviceOptions&, const DeviceOptions&) = default;
};

}  // namespace feedrate
