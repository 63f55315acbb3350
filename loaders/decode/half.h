// SPDX-License-Identifier: Apache-2.0
// float16, which C++20 has no type for. A pure function.
#pragma once
#include <cstdint>

namespace feedrate {

/// The bits of the float16 next to `value`, the even one of two that are as near: what IEEE 754 and
/// x.half() give. Too large becomes infinite; NaN stays NaN.
[[nodiscard]] std::uint16_t to_half(float value) noexcept;

}  // namespace feedrate
