// SPDX-License-Identifier: Apache-2.0
// Precisions of matrix products. Pure functions, safe from any thread.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace feedrate {

/// The type of a product's inputs; all products accumulate in float32.
enum class Precision {
  kFp32,
  kTf32,  ///< float32 in memory, rounded to 10 bits of mantissa in the tensor cores
  kBf16,
  kFp16,
  kFp8,  ///< E4M3, as in Transformer Engine's forward pass; the result is bfloat16
};

[[nodiscard]] std::string_view to_string(Precision precision);
/// Throws ConfigError that lists the names.
[[nodiscard]] Precision precision_from_string(std::string_view name);
[[nodiscard]] std::span<const Precision> precisions();

/// Bytes of one input number in memory.
[[nodiscard]] std::size_t bytes_of(Precision precision);
/// Bytes of one number of the result.
[[nodiscard]] std::size_t result_bytes_of(Precision precision);

/// Why a GPU of this compute capability lacks the precision; empty if it has it.
[[nodiscard]] std::string why_no_precision(Precision precision, int major, int minor);

}  // namespace feedrate
