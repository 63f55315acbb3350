// SPDX-License-Identifier: Apache-2.0
// The kernels, as plain functions, so that only kernels.cu needs nvcc. A cudaStream_t is a
// CUstream_st* and errors are cudaError_t by value: this header needs no CUDA header. Launches
// return once queued.
#pragma once
#include <cstddef>
#include <cstdint>

#include "core/image_plan.h"

struct CUstream_st;

namespace feedrate {

/// What one burn at a time works with, in device memory: the BurnState of burn.cuh, as it is
/// between burns.
struct BurnScratch {
  std::uint64_t started = ~std::uint64_t{0};
  std::uint32_t ended = 0;
  float sink = 0;
};

/// What a burn streams through, in device memory, shared by all burns.
struct BurnMemory {
  const void* data = nullptr;
  std::size_t bytes = 0;
  float share = 0;  ///< of the time; 0: `data` may be null
};

/// How many blocks fill the present device, so that no second kernel runs beside a burn.
int count_burn_blocks(int* blocks);

/// Keeps every multiprocessor of the present device busy for `nanoseconds`. `scratch` lies in
/// device memory, began as BurnScratch{} and belongs to `stream` alone.
int launch_burn(std::uint64_t nanoseconds, int blocks, const BurnMemory& memory,
                BurnScratch* scratch, CUstream_st* stream);

/// What each byte becomes, per channel. Travels as a kernel's argument, of which there may be 4
/// KiB.
struct NormalizeTable {
  float values[3][256];
};

/// Bytes, image after image, height × width × channel, to float32, channel × height × width.
int launch_normalize(const std::uint8_t* bytes, float* values, std::size_t images,
                     std::size_t pixels, const NormalizeTable& table, CUstream_st* stream);

/// A PlannedImage whose pixels lie `offset` bytes behind the batch's begin.
struct PlacedPlan {
  std::uint64_t offset;
  ImagePlan plan;
};

/// `plans` lies in device memory, one of each image; what each becomes is height × width.
int launch_transform(const std::uint8_t* bytes, float* values, const PlacedPlan* plans,
                     std::size_t images, int height, int width, const NormalizeTable& table,
                     CUstream_st* stream);

/// Fills with words of random bits where `random` has ones, and the bits of `fixed`.
int launch_fill(std::uint32_t* words, std::size_t count, std::uint32_t random, std::uint32_t fixed,
                CUstream_st* stream);

}  // namespace feedrate
