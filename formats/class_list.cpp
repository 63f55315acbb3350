// SPDX-License-Identifier: Apache-2.0
#include "formats/class_list.h"

#include <string_view>

#include <fmt/format.h>

#include "core/error.h"
#include "core/host/file.h"
#include "formats/storage.h"

namespace feedrate {
namespace {

constexpr std::uint64_t kMaxClassListBytes = 64U << 20;

}  // namespace

std::vector<std::string> read_class_list(const std::filesystem::path& path) {
  if (!is_file_offered(path)) return {};
  return parse_class_list(read_text_at(path, kMaxClassListBytes));
}

std::vector<std::string> parse_class_list(std::string_view text) {
  std::vector<std::string> names;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    names.emplace_back(line);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return names;
}

std::string format_class_list(const std::vector<std::string>& names, const std::string& path) {
  std::string text;
  for (const std::string& name : names) {
    if (name.find_first_of("\r\n") != std::string::npos) {
      throw FormatError(
          {.file = path},
          fmt::format(
              "class name \"{}\" has a line break, which a list with one name per line cannot hold",
              name));
    }
    text += name + '\n';
  }
  return text;
}

void write_class_list(const std::filesystem::path& path, const std::vector<std::string>& names) {
  if (!names.empty()) write_new_file(path.string(), format_class_list(names, path.string()));
}

}  // namespace feedrate
