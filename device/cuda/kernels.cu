#include <cuda_runtime.h>

#include "device/cuda/kernels.h"

namespace feedrate {
namespace {

constexpr int kThreads = 256;
constexpr int kRounds = 256;  // between looks at the timer: some microseconds

// Nanoseconds, the same on all multiprocessors. clock64() would count cycles, whose length changes
// severalfold with the device's power state.
__device__ __forceinline__ unsigned long long global_time() {
  unsigned long long nanoseconds;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(nanoseconds));
  return nanoseconds;
}

// Fused multiply-adds until `duration` after the first block began, so that the device draws power
// and is as occupied as in training, while the length is set in time and not in work.
__global__ void __launch_bounds__(kThreads)
    timed_burn(unsigned long long duration, BurnScratch* scratch) {
  __shared__ unsigned long long deadline;
  if (threadIdx.x == 0) {
    auto* started = reinterpret_cast<unsigned long long*>(&scratch->started);
    const unsigned long long now = global_time();
    const unsigned long long earlier = atomicMin(started, now);
    deadline = (earlier < now ? earlier : now) + duration;
  }
  __syncthreads();

  // Two chains that converge, so that no operand ever becomes infinite or denormal.
  float x = threadIdx.x * 1e-3f;
  float y = blockIdx.x * 1e-3f;
  while (global_time() < deadline) {
#pragma unroll 16
    for (int round = 0; round < kRounds; ++round) {
      x = fmaf(x, 0.75f, y);
      y = fmaf(y, 0.5f, 0.125f);
    }
  }
  if (x < 0.0f) scratch->sink = x;  // cannot happen, but the compiler does not know
}

}  // namespace

int count_burn_blocks(int* blocks) {
  int device = 0;
  int multiprocessors = 0;
  int blocks_each = 0;
  cudaError_t error = cudaGetDevice(&device);
  if (error == cudaSuccess) {
    error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  }
  if (error == cudaSuccess) {
    error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_each, timed_burn, kThreads, 0);
  }
  *blocks = multiprocessors * blocks_each;
  return error;
}

int launch_burn(std::uint64_t nanoseconds, int blocks, BurnScratch* scratch, CUstream_st* stream) {
  const cudaError_t reset =
      cudaMemsetAsync(&scratch->started, 0xff, sizeof(scratch->started), stream);
  if (reset != cudaSuccess) return reset;
  timed_burn<<<blocks, kThreads, 0, stream>>>(nanoseconds, scratch);
  return cudaGetLastError();
}

}  // namespace feedrate
