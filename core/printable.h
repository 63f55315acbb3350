// SPDX-License-Identifier: Apache-2.0
// Text of others in our own: what no line of ours may hold, since a terminal would obey it. Pure
// functions; any thread.
#pragma once
#include <string>
#include <string_view>

namespace feedrate {

/// A character of UTF-8, or a byte that is none, which is not: a control (C0, DEL, C1), a line or
/// paragraph separator, or one that changes the direction of text around it, as U+202E does.
[[nodiscard]] bool is_control(std::string_view character) noexcept;

/// With an escape as in Python's strings ("\x1b", "\u202e") for each control but the tab, and for
/// each byte that is no UTF-8. One line.
[[nodiscard]] std::string printable(std::string_view text);

}  // namespace feedrate
