// Whether bytes are text. A pure function; any thread.
#pragma once
#include <string_view>

namespace feedrate {

/// By RFC 3629: no overlong forms, no surrogates. U+0000 is text here.
[[nodiscard]] bool is_utf8(std::string_view bytes) noexcept;

}  // namespace feedrate
