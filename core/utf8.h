// SPDX-License-Identifier: Apache-2.0
// Validates UTF-8. Pure functions; any thread.
#pragma once
#include <cstddef>
#include <string_view>

namespace feedrate {

/// The number of bytes of the first character; 0 if it is invalid. REQUIRES: !bytes.empty()
[[nodiscard]] std::size_t utf8_length(std::string_view bytes) noexcept;

/// Follows RFC 3629: no overlong forms, no surrogates. U+0000 is valid.
[[nodiscard]] bool is_utf8(std::string_view bytes) noexcept;

}  // namespace feedrate
