// SPDX-License-Identifier: Apache-2.0
// Memory by CUDA: the device's, and page-locked memory of the host. Any thread; needs no CUDA
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

/// Null for size 0.
[[nodiscard]] OwnedCudaMemory allocate_cuda(const CudaContext& context, std::size_t size);

/// The NUMA node that the device hangs on; nothing where the machine has only one, or says nothing.
[[nodiscard]] std::optional<int> numa_node_of(const CudaContext& context);

/// Page-locked memory from where context.options() says, on that node if there is one. `on_release`
/// is called when it is given back.
[[nodiscard]] HostBuffer allocate_cuda_pinned(const CudaContext& context, std::size_t size,
                                              std::optional<int> node,
                                              std::function<void()> on_release);

}  // namespace feedrate
