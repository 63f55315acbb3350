// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/cuda_memory.h"

#include <utility>

#include <cuda_runtime_api.h>

#include "device/numa.h"

namespace feedrate {

void FreeCudaMemory::operator()(std::byte* data) const noexcept { cudaFree(data); }

OwnedCudaMemory allocate_cuda(const CudaContext& context, std::size_t size) {
  context.enter();
  void* data = nullptr;
  context.check(cudaMalloc(&data, size), "cudaMalloc");
  return OwnedCudaMemory(static_cast<std::byte*>(data));
}

std::optional<int> numa_node_of(const CudaContext& context) {
  if (numa_nodes() < 2) return std::nullopt;
  context.enter();
#if CUDART_VERSION >= 12020
  int node = -1;
  if (cudaDeviceGetAttribute(&node, cudaDevAttrHostNumaId, context.index()) == cudaSuccess &&
      node >= 0) {
    return node;
  }
  cudaGetLastError();  // an older driver does not know the attribute
#endif
  return numa_node_of_pci(context.pci_bus_id());
}

HostBuffer allocate_cuda_pinned(const CudaContext& context, std::size_t size,
                                std::optional<int> node, std::function<void()> on_release) {
  context.enter();
  void* data = nullptr;
  {
    // The driver allocates the pages on this thread, so its NUMA policy counts.
    const PreferredNode preferred(node);
    context.check(cudaHostAlloc(&data, size, cudaHostAllocDefault), "cudaHostAlloc");
  }
  return {static_cast<std::byte*>(data), size, HostMemory::kPinned,
          [index = context.index(), on_release = std::move(on_release)](std::byte* pinned) {
            // cudaFreeHost() is not documented to wait for running copies.
            cudaSetDevice(index);
            cudaDeviceSynchronize();
            cudaFreeHost(pinned);
            on_release();
          }};
}

}  // namespace feedrate
