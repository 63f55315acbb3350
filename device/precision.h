// SPDX-License-Identifier: Apache-2.0
// The arithmetic of matrix products. Pure functions, any thread.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace feedrate {

/// What the inputs of a product are; all add up in float32.
enum class Precision {
  kFp32,
  kTf32,  ///< float32 in memory, rounded to 10 bits of mantissa in the tensor cores
  kBf16,
  kFp16,
  kFp8,  ///< E4M3, as in Transformer Engine's forward pass; the result is bfloat16
};

/// "fp32", "tf32", "bf16", "fp16", "fp8".
[[nodiscard]] std::string_view to_string(Precision precision);
/// Throws ConfigError listing the names.
[[nodiscard]] Precision precision_from_string(std::string_view name);
/// In their order.
[[nodiscard]] std::span<const Precision> precisions();

/// Of one input's number in memory.
[[nodiscard]] std::size_t bytes_of(Precision precision);
/// Of one number of the result.
[[nodiscard]] std::size_t result_bytes_of(Precision precision);

/// Why a GPU of this compute capability has no such arithmetic; empty if it has.
[[nodiscard]] std::string why_no_precision(Precision precision, int major, int minor);

}  // namespace feedrate
