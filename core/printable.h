// SPDX-License-Identifier: Apache-2.0
// Escapes control characters in text of others, since a terminal would obey them. Pure functions;
// any thread.
#pragma once
#include <string>
#include <string_view>

namespace feedrate {

/// Whether a UTF-8 character, or a byte of invalid UTF-8, is a control (C0, DEL, C1), a line or
/// paragraph separator, or changes the direction of text, as U+202E does.
[[nodiscard]] bool is_control(std::string_view character) noexcept;

/// `text` on one line, with Python's escapes ("\x1b", "\u202e") for each control but the tab, and
/// for each byte that is not UTF-8.
[[nodiscard]] std::string printable(std::string_view text);

}  // namespace feedrate
