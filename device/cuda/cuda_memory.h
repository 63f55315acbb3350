// SPDX-License-Identifier: Apache-2.0
// Device memory and page-locked host memory allocated by CUDA. Safe from any thread; needs no CUDA
// header.
#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>

#include "device/buffer.h"
#include "device/cuda/context.h"

namespace feedrate {

struct FreeCudaMemory {
  void operator()(std::byte* data) const noexcept;
};
using OwnedCudaMemory = std::unique_ptr<std::byte, FreeCudaMemory>;

/// Returns null for size 0.
[[nodiscard]] OwnedCudaMemory allocate_cuda(const CudaContext& context, std::size_t size);

/// The device's NUMA node; nothing if the machine has only one or does not report it.
[[nodiscard]] std::optional<int> numa_node_of(const CudaContext& context);

/// Page-locked memory on NUMA node `node` if given. `on_release` is called when the buffer is
/// freed.
[[nodiscard]] HostBuffer allocate_cuda_pinned(const CudaContext& context, std::size_t size,
                                              std::optional<int> node,
                                              std::function<void()> on_release);

}  // namespace feedrate
