// SPDX-License-Identifier: Apache-2.0
// From pixels (HWC, 8 bits) to a sample tensor (CHW). Pure functions; any thread.
#pragma once
#include <array>
#include <cstdint>
#include <optional>

#include "core/units.h"
#include "loaders/decode/transform.h"

namespace feedrate {

/// What each byte becomes, per channel: there are only 256 of them, so the values are computed
/// once, by the very operations of ToTensor and Normalize.
using TensorValues = std::array<std::array<float, 256>, 3>;

[[nodiscard]] TensorValues tensor_values(const std::optional<Normalize>& normalize);

/// The bits of the float16 next to each of these; what is too large becomes infinite.
using HalfValues = std::array<std::array<std::uint16_t, 256>, 3>;
[[nodiscard]] HalfValues rounded_to_half(const TensorValues& values);

/// float16. REQUIRES: out.size() == 2 * image.shape.size()
void to_half_tensor(const Image& image, const HalfValues& values, MutableBytes out);

/// float32. REQUIRES: out.size() == 4 * image.shape.size()
void to_float_tensor(const Image& image, const TensorValues& values, MutableBytes out);

/// Bytes as they are. REQUIRES: out.size() == image.shape.size()
void to_uint8_tensor(const Image& image, MutableBytes out);

}  // namespace feedrate
