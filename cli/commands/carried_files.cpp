// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/carried_files.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/did_you_mean.h"
#include "core/error.h"

namespace feedrate {
namespace {

std::string_view name_in(std::string_view path) {
  for (const std::string_view suffix : {".yaml", ".md"}) {
    if (path.ends_with(suffix)) path.remove_suffix(suffix.size());
  }
  return path;
}

}  // namespace

std::vector<std::string> carried_names(std::span<const CarriedFile> files) {
  std::vector<std::string> names;
  for (const CarriedFile& file : files) {
    if (names.empty() || names.back() != name_in(file.path)) names.emplace_back(name_in(file.path));
  }
  return names;
}

std::string find_carried(std::span<const CarriedFile> files, std::string_view name,
                         std::string_view what) {
  std::string text;
  std::vector<std::string_view> known;
  for (const CarriedFile& file : files) {
    known.push_back(name_in(file.path));
    if (name_in(file.path) == name_in(name)) text += file.text;
  }
  if (text.empty()) {
    throw ConfigError(fmt::format("{}: unknown {}{}", name, what, did_you_mean(name, known)));
  }
  return text;
}

}  // namespace feedrate
