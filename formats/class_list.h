// classes.txt: the names of the classes, one a line, the first for label 0. Kept beside formats
// that have no place for them.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace feedrate {

/// Empty if there is no such file.
[[nodiscard]] std::vector<std::string> read_class_list(const std::filesystem::path& path);

/// Writes nothing if `names` is empty. Throws FormatError for a name with a line break.
void write_class_list(const std::filesystem::path& path, const std::vector<std::string>& names);

}  // namespace feedrate
