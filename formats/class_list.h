// SPDX-License-Identifier: Apache-2.0
// classes.txt: the names of the classes, one a line, the first for label 0. For formats that cannot
// store them.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace feedrate {

/// Empty if there is no such file.
[[nodiscard]] std::vector<std::string> read_class_list(const std::filesystem::path& path);

/// Writes nothing if `names` is empty. Throws FormatError for a name with a line break.
void write_class_list(const std::filesystem::path& path, const std::vector<std::string>& names);

/// The text of such a file, and back. Messages name `path`.
[[nodiscard]] std::string format_class_list(const std::vector<std::string>& names,
                                            const std::string& path);
[[nodiscard]] std::vector<std::string> parse_class_list(std::string_view text);

}  // namespace feedrate
