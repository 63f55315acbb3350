// SPDX-License-Identifier: Apache-2.0
// Conversion of pixels (HWC, 8 bits) to a sample tensor (CHW). Pure functions; any thread.
#pragma once
#include <array>
#include <cstdint>
#include <optional>

#include "core/units.h"
#include "loaders/decode/transform.h"

namespace feedrate {

/// The tensor's value for each channel and byte. All 256 are computed once, by the operations of
/// ToTensor and Normalize.
using TensorValues = std::array<std::array<float, 256>, 3>;

[[nodiscard]] TensorValues tensor_values(const std::optional<Normalize>& normalize);

/// The same values rounded to float16, as bits; values too large become infinite.
using HalfValues = std::array<std::array<std::uint16_t, 256>, 3>;
[[nodiscard]] HalfValues rounded_to_half(const TensorValues& values);

/// Writes float16. REQUIRES: out.size() == 2 * image.shape.size()
void to_half_tensor(const Image& image, const HalfValues& values, MutableBytes out);

/// Writes float32. REQUIRES: out.size() == 4 * image.shape.size()
void to_float_tensor(const Image& image, const TensorValues& values, MutableBytes out);

/// Writes uint8. REQUIRES: out.size() == image.shape.size()
void to_uint8_tensor(const Image& image, MutableBytes out);

/// The bits of the float16 nearest to `value`, ties to even, as in IEEE 754 and x.half(). Values
/// too large become infinite; NaN stays NaN.
[[nodiscard]] std::uint16_t to_half(float value) noexcept;

}  // namespace feedrate
