#include <cuda_runtime.h>

#include "device/cuda/kernels.h"

namespace feedrate {
namespace {

constexpr int kThreads = 256;
constexpr int kFmas = 256;                 // of a round of arithmetic: some microseconds
constexpr std::size_t kMostBlocks = 4096;  // of kernels that stride over their data

// Nanoseconds, the same on all multiprocessors. clock64() would count cycles, whose length changes
// severalfold with the device's power state.
__device__ __forceinline__ unsigned long long global_time() {
  unsigned long long nanoseconds;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(nanoseconds));
  return nanoseconds;
}

// Until `duration` after the first block began: fused multiply-adds, so that the device draws power
// and is as occupied as in training, and reads of memory, for which copies then have to compete.
// The length is set in time and not in work.
__global__ void __launch_bounds__(kThreads)
    timed_burn(unsigned long long duration, const float4* data, std::size_t vectors,
               int memory_rounds, BurnScratch* scratch) {
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
  const std::size_t threads = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  std::size_t at = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (int round = 0; global_time() < deadline; round = (round + 1) % kBurnRounds) {
    if (round < memory_rounds) {
      const float4 read = data[at % vectors];
      y = fmaf(read.x + read.y + read.z + read.w, 1e-3f, 0.5f * y);
      at += threads;
    } else {
#pragma unroll 16
      for (int i = 0; i < kFmas; ++i) {
        x = fmaf(x, 0.75f, y);
        y = fmaf(y, 0.5f, 0.125f);
      }
    }
  }
  if (x + y < 0.0f) scratch->sink = x;  // cannot happen, but the compiler does not know
}

// Reads of a warp are 96 bytes in a row, writes are three full rows: memory-bound, as it should be.
__global__ void __launch_bounds__(kThreads)
    normalize(const std::uint8_t* bytes, float* values, std::size_t images, std::size_t pixels,
              NormalizeTable table) {
  __shared__ float known[3][256];
  for (int i = threadIdx.x; i < 256; i += kThreads) {
    for (int c = 0; c < 3; ++c) known[c][i] = table.values[c][i];
  }
  __syncthreads();
  const std::size_t threads = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  std::size_t at = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (; at < images * pixels; at += threads) {
    const std::uint8_t* pixel = bytes + 3 * at;
    float* red = values + 3 * pixels * (at / pixels) + at % pixels;
    red[0] = known[0][pixel[0]];
    red[pixels] = known[1][pixel[1]];
    red[2 * pixels] = known[2][pixel[2]];
  }
}

// The end of MurmurHash3: each bit of the result hangs on all bits of the index.
__device__ std::uint32_t mix(std::size_t index) {
  auto bits = static_cast<std::uint32_t>(index ^ (index >> 32)) + 0x9e3779b9u;
  bits = (bits ^ (bits >> 16)) * 0x85ebca6bu;
  bits = (bits ^ (bits >> 13)) * 0xc2b2ae35u;
  return bits ^ (bits >> 16);
}

__global__ void __launch_bounds__(kThreads)
    fill(std::uint32_t* words, std::size_t count, std::uint32_t random, std::uint32_t fixed) {
  const std::size_t threads = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  std::size_t at = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (; at < count; at += threads) words[at] = (mix(at) & random) | fixed;
}

unsigned blocks_for(std::size_t items) {
  const std::size_t blocks = (items + kThreads - 1) / kThreads;
  return static_cast<unsigned>(blocks < kMostBlocks ? blocks : kMostBlocks);
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

int launch_burn(std::uint64_t nanoseconds, int blocks, const BurnMemory& memory,
                BurnScratch* scratch, CUstream_st* stream) {
  const cudaError_t reset =
      cudaMemsetAsync(&scratch->started, 0xff, sizeof(scratch->started), stream);
  if (reset != cudaSuccess) return reset;
  timed_burn<<<blocks, kThreads, 0, stream>>>(nanoseconds, static_cast<const float4*>(memory.data),
                                              memory.bytes / sizeof(float4), memory.rounds,
                                              scratch);
  return cudaGetLastError();
}

int launch_normalize(const std::uint8_t* bytes, float* values, std::size_t images,
                     std::size_t pixels, const NormalizeTable& table, CUstream_st* stream) {
  if (images * pixels == 0) return cudaSuccess;
  normalize<<<blocks_for(images * pixels), kThreads, 0, stream>>>(bytes, values, images, pixels,
                                                                  table);
  return cudaGetLastError();
}

int launch_fill(std::uint32_t* words, std::size_t count, std::uint32_t random, std::uint32_t fixed,
                CUstream_st* stream) {
  if (count == 0) return cudaSuccess;
  fill<<<blocks_for(count), kThreads, 0, stream>>>(words, count, random, fixed);
  return cudaGetLastError();
}

}  // namespace feedrate
