// SPDX-License-Identifier: Apache-2.0
// The kernels as plain functions, so that only kernels.cu needs nvcc. A cudaStream_t is a
// CUstream_st*, and a returned int is a cudaError_t, so this header needs no CUDA header. Launches
// return once queued.
#pragma once
#include <cstddef>
#include <cstdint>

#include "core/image_plan.h"

struct CUstream_st;

namespace feedrate {

/// The BurnState of burn.cuh in device memory, as it is between burns. One burn at a time uses it.
struct BurnScratch {
  std::uint64_t started = ~std::uint64_t{0};
  std::uint32_t ended = 0;
  float sink = 0;
};

/// Counts the blocks that fill the current device, so that no second kernel runs during a burn.
int count_burn_blocks(int* blocks);

/// Keeps every multiprocessor of the current device busy for `nanoseconds`. `scratch` is in device
/// memory, was initialized with BurnScratch{} and belongs to `stream` alone.
int launch_burn(std::uint64_t nanoseconds, int blocks, BurnScratch* scratch, CUstream_st* stream);

/// The float value of each byte, per channel. Passed as a kernel argument; arguments may have 4
/// KiB.
struct NormalizeTable {
  float values[3][256];
};

/// Converts bytes, image after image, height × width × channel, to float32, channel × height ×
/// width.
int launch_normalize(const std::uint8_t* bytes, float* values, std::size_t images,
                     std::size_t pixels, const NormalizeTable& table, CUstream_st* stream);

/// A PlannedImage whose pixels begin `offset` bytes into the batch.
struct PlacedPlan {
  std::uint64_t offset;
  ImagePlan plan;
};

/// Transforms each image to height × width. `plans` is in device memory, one per image.
int launch_transform(const std::uint8_t* bytes, float* values, const PlacedPlan* plans,
                     std::size_t images, int height, int width, const NormalizeTable& table,
                     CUstream_st* stream);

/// Fills words with random bits where `random` has ones, plus the bits of `fixed`.
int launch_fill(std::uint32_t* words, std::size_t count, std::uint32_t random, std::uint32_t fixed,
                CUstream_st* stream);

}  // namespace feedrate
