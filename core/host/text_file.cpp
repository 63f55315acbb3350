// SPDX-License-Identifier: Apache-2.0
#include "core/host/text_file.h"

#include <algorithm>
#include <fstream>
#include <sstream>

#include "core/parse_number.h"

namespace feedrate {
namespace {

constexpr std::string_view kBlank = " \t\r\n";

std::vector<std::string_view> split(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> parts;
  std::size_t at = text.find_first_not_of(separators);
  while (at != std::string_view::npos) {
    const std::size_t end = std::min(text.find_first_of(separators, at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = text.find_first_not_of(separators, end);
  }
  return parts;
}

}  // namespace

std::optional<std::string> read_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::ostringstream content;
  content << file.rdbuf();
  if (file.bad()) return std::nullopt;
  return content.str();
}

std::string read_trimmed(const std::filesystem::path& path) {
  return std::string(trimmed(read_text(path).value_or("")));
}

std::vector<std::string_view> split_lines(std::string_view text) { return split(text, "\n"); }

std::vector<std::string_view> split_words(std::string_view text) { return split(text, kBlank); }

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

std::string_view find_field(std::string_view text, std::string_view name) {
  for (const std::string_view line : split_lines(text)) {
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || trimmed(line.substr(0, colon)) != name) continue;
    return trimmed(line.substr(colon + 1));
  }
  return {};
}

std::vector<std::string_view> stat_fields(std::string_view stat) {
  const std::size_t name_end = stat.rfind(") ");
  if (name_end == std::string_view::npos) return {};
  return split_words(stat.substr(name_end + 2));
}

std::optional<std::uint64_t> parse_unsigned(std::string_view text) {
  return parse_number<std::uint64_t>(text);
}

std::optional<std::uint64_t> find_kilobytes(std::string_view text, std::string_view name) {
  const std::vector<std::string_view> words = split_words(find_field(text, name));
  const auto number = words.empty() ? std::nullopt : parse_unsigned(words.front());
  if (!number) return std::nullopt;
  return *number * 1024;
}

}  // namespace feedrate
