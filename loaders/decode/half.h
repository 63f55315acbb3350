// SPDX-License-Identifier: Apache-2.0
// Conversion to float16, for which C++20 has no type. A pure function.
#pragma once
#include <cstdint>

namespace feedrate {

/// The bits of the float16 nearest to `value`, ties to even, as in IEEE 754 and x.half(). Values
/// too large become infinite; NaN stays NaN.
[[nodiscard]] std::uint16_t to_half(float value) noexcept;

}  // namespace feedrate
