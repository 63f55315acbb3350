// SPDX-License-Identifier: Apache-2.0
#include "bench/plan/yaml_file.h"

#include <system_error>

#include <fmt/format.h>

#include "core/error.h"
#include "core/host/durable_file.h"

namespace feedrate {

const ConfigNode& required(const ConfigNode& map, std::string_view section, std::string_view key) {
  const ConfigNode* node = map.find(key);
  if (!node) throw config_error(map, section, fmt::format("lacks {}", key));
  return *node;
}

std::string in_quotes(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + '"';
}

void claim_file(const std::filesystem::path& file, bool force) {
  std::error_code error;
  const bool holds_something = std::filesystem::is_regular_file(file, error) &&
                               !std::filesystem::is_empty(file, error) && !error;
  if (holds_something && !force) {
    throw ConfigError(fmt::format(
        "{}: already exists; choose another file with --out, or replace it with --force",
        file.string()));
  }
  touch_file(file);
}

}  // namespace feedrate
