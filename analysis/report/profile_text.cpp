// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/profile_text.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "core/host/durable_file.h"

namespace feedrate {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kHeading = "== cell ";

std::string_view take_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(text.size(), line.size() + 1));
  return line;
}

std::optional<std::size_t> heading_index(std::string_view line) {
  if (!line.starts_with(kHeading)) return std::nullopt;
  line.remove_prefix(kHeading.size());
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), index);
  const bool is_heading = error == std::errc() && end != line.data() + line.size() && *end == ':';
  return is_heading ? std::optional(index) : std::nullopt;
}

}  // namespace

std::map<std::size_t, std::string> split_profiles(std::string_view text) {
  std::map<std::size_t, std::string> profiles;
  std::string* current = nullptr;
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    if (const std::optional<std::size_t> index = heading_index(line)) {
      current = &profiles[*index];
    } else if (current != nullptr) {
      current->append(line).append("\n");
    }
  }
  return profiles;
}

std::map<std::size_t, std::string> load_profiles(const fs::path& run) {
  std::error_code error;
  const fs::path file = (fs::is_directory(run, error) ? run : run.parent_path()) / "profile.txt";
  if (!fs::is_regular_file(file, error)) return {};
  return split_profiles(read_whole_file(file));
}

}  // namespace feedrate
