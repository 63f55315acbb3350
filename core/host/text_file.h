// SPDX-License-Identifier: Apache-2.0
// Reads the small text files of /proc and /sys. No function throws for a missing or invalid file.
// Any thread.
//
// `root` stands for "/" in all of core/host/; tests pass a folder with their own tree.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace feedrate {

[[nodiscard]] std::optional<std::string> read_text(const std::filesystem::path& path);

/// Returns the file without white space at both ends; empty if it cannot be read.
[[nodiscard]] std::string read_trimmed(const std::filesystem::path& path);

[[nodiscard]] std::vector<std::string_view> split_lines(std::string_view text);
[[nodiscard]] std::vector<std::string_view> split_words(std::string_view text);
[[nodiscard]] std::string_view trimmed(std::string_view text);

/// Returns the trimmed text after "`name`:" on the first such line; empty if there is none.
[[nodiscard]] std::string_view find_field(std::string_view text, std::string_view name);

/// Returns the fields after the name in /proc/PID/stat (proc(5)): state, parent, process group, ….
/// The name may contain any characters. Empty if there is no name.
[[nodiscard]] std::vector<std::string_view> stat_fields(std::string_view stat);

/// The whole of `text` as a decimal number.
[[nodiscard]] std::optional<std::uint64_t> parse_unsigned(std::string_view text);

/// The bytes of a "123 kB" field.
[[nodiscard]] std::optional<std::uint64_t> find_kilobytes(std::string_view text,
                                                          std::string_view name);

}  // namespace feedrate
