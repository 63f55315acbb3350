// SPDX-License-Identifier: Apache-2.0
// Checks the nesting depth of untrusted JSON before it is parsed: writing, comparing or walking a
// value is recursive, and the stack is limited. Pure; any thread.
#pragma once
#include <cstddef>
#include <string_view>

namespace feedrate {

/// Far more than any JSON that feedrate reads.
inline constexpr std::size_t kDeepestJson = 64;

/// Whether arrays and objects are nested more than `most` deep. Takes any text; invalid JSON is
/// left to the parser.
[[nodiscard]] bool is_nested_deeper(std::string_view json, std::size_t most = kDeepestJson);

}  // namespace feedrate
