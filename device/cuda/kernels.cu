// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

#include "device/cuda/burn.cuh"
#include "device/cuda/kernels.h"
#include "device/planned_pixel.h"

namespace feedrate {
namespace {

constexpr int kThreads = 256;
constexpr std::size_t kMaxBlocks = 4096;  // for kernels that stride over their data

__global__ void __launch_bounds__(kThreads)
    timed_burn(unsigned long long duration, BurnState* state) {
  burn_until_over(duration, state);
}

// A warp reads 96 contiguous bytes and writes three full rows, so the kernel is memory-bound.
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

// One thread per pixel.
__global__ void __launch_bounds__(kThreads)
    transform(const std::uint8_t* bytes, float* values, const PlacedPlan* plans, std::size_t images,
              int height, int width, NormalizeTable table) {
  const std::size_t pixels = static_cast<std::size_t>(height) * width;
  const std::size_t threads = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  std::size_t at = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (; at < images * pixels; at += threads) {
    const PlacedPlan& placed = plans[at / pixels];
    const int pixel = static_cast<int>(at % pixels);
    float* red = values + 3 * pixels * (at / pixels) + pixel;
    if (placed.plan.height == 0) {
      red[0] = red[pixels] = red[2 * pixels] = 0;
      continue;
    }
    std::uint8_t made[3];
    make_planned_pixel(bytes + placed.offset, placed.plan, width, pixel / width, pixel % width,
                       made);
    red[0] = table.values[0][made[0]];
    red[pixels] = table.values[1][made[1]];
    red[2 * pixels] = table.values[2][made[2]];
  }
}

// The finalizer of MurmurHash3: each bit of the result depends on all bits of the index.
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
  return static_cast<unsigned>(blocks < kMaxBlocks ? blocks : kMaxBlocks);
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

static_assert(sizeof(BurnScratch) == sizeof(BurnState));

int launch_burn(std::uint64_t nanoseconds, int blocks, BurnScratch* scratch, CUstream_st* stream) {
  timed_burn<<<blocks, kThreads, 0, stream>>>(nanoseconds, reinterpret_cast<BurnState*>(scratch));
  return cudaGetLastError();
}

int launch_normalize(const std::uint8_t* bytes, float* values, std::size_t images,
                     std::size_t pixels, const NormalizeTable& table, CUstream_st* stream) {
  if (images * pixels == 0) return cudaSuccess;
  normalize<<<blocks_for(images * pixels), kThreads, 0, stream>>>(bytes, values, images, pixels,
                                                                  table);
  return cudaGetLastError();
}

int launch_transform(const std::uint8_t* bytes, float* values, const PlacedPlan* plans,
                     std::size_t images, int height, int width, const NormalizeTable& table,
                     CUstream_st* stream) {
  const std::size_t pixels = images * static_cast<std::size_t>(height) * width;
  if (pixels == 0) return cudaSuccess;
  transform<<<blocks_for(pixels), kThreads, 0, stream>>>(bytes, values, plans, images, height,
                                                         width, table);
  return cudaGetLastError();
}

int launch_fill(std::uint32_t* words, std::size_t count, std::uint32_t random, std::uint32_t fixed,
                CUstream_st* stream) {
  if (count == 0) return cudaSuccess;
  fill<<<blocks_for(count), kThreads, 0, stream>>>(words, count, random, fixed);
  return cudaGetLastError();
}

}  // namespace feedrate
