// The kernels, as plain functions, so that only kernels.cu needs nvcc. A cudaStream_t is a
// CUstream_st* and errors are cudaError_t by value: this header needs no CUDA header.
#pragma once
#include <cstdint>

struct CUstream_st;

namespace feedrate {

/// What one burn at a time works with, in device memory.
struct BurnScratch {
  std::uint64_t started;  ///< globaltimer when the first block began; all ones before
  float sink;             ///< never written; keeps the compiler from dropping the arithmetic
};

/// How many blocks fill the present device, so that no second kernel runs beside a burn.
int count_burn_blocks(int* blocks);

/// Keeps every multiprocessor of the present device busy for `nanoseconds`. Returns once queued.
/// `scratch` lies in device memory and belongs to `stream` alone.
int launch_burn(std::uint64_t nanoseconds, int blocks, BurnScratch* scratch, CUstream_st* stream);

}  // namespace feedrate
