// SPDX-License-Identifier: Apache-2.0
// The small text files by which Linux tells about itself. What cannot be read is simply not known:
// nothing here throws for a missing or odd file. Any thread.
//
// `root` stands for "/" throughout core/host/; tests pass a folder with a tree of their own.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace feedrate {

[[nodiscard]] std::optional<std::string> read_text(const std::filesystem::path& path);

/// Without white space at both ends. Empty where the file cannot be read.
[[nodiscard]] std::string read_trimmed(const std::filesystem::path& path);

[[nodiscard]] std::vector<std::string_view> split_lines(std::string_view text);
[[nodiscard]] std::vector<std::string_view> split_words(std::string_view text);
[[nodiscard]] std::string_view trimmed(std::string_view text);

/// What follows "`name`:" on the first such line, trimmed; empty where there is none.
[[nodiscard]] std::string_view find_field(std::string_view text, std::string_view name);

/// What follows the name in /proc/PID/stat (proc(5)): state, parent, process group, …; the name may
/// hold anything. Empty where there is no name.
[[nodiscard]] std::vector<std::string_view> stat_fields(std::string_view stat);

/// The whole of `text` as a decimal number.
[[nodiscard]] std::optional<std::uint64_t> parse_unsigned(std::string_view text);

/// The bytes of a "123 kB" field.
[[nodiscard]] std::optional<std::uint64_t> find_kilobytes(std::string_view text,
                                                          std::string_view name);

}  // namespace feedrate
