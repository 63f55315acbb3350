// SPDX-License-Identifier: Apache-2.0
// Whether bytes are text. Pure functions; any thread.
#pragma once
#include <cstddef>
#include <string_view>

namespace feedrate {

/// How many bytes the character at the front takes; 0: there is none. REQUIRES: !bytes.empty()
[[nodiscard]] std::size_t utf8_length(std::string_view bytes) noexcept;

/// By RFC 3629: no overlong forms, no surrogates. U+0000 is text here.
[[nodiscard]] bool is_utf8(std::string_view bytes) noexcept;

}  // namespace feedrate
