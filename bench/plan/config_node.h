// SPDX-License-Identifier: Apache-2.0
// A configuration file as a tree of plain values with line numbers, so that its readers can report
// lines and need not know YAML.
#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"

namespace feedrate {

struct ConfigEntry;

struct ConfigNode {
  enum class Kind { kNothing, kScalar, kList, kMap };

  Kind kind = Kind::kNothing;
  std::string scalar;
  bool quoted = false;               ///< a quoted scalar is always text
  std::vector<ConfigNode> items;     ///< kList
  std::vector<ConfigEntry> entries;  ///< kMap, in the file's order
  std::shared_ptr<const std::string> file;
  int line = 0;  ///< from 1

  /// Null if there is no such entry.
  [[nodiscard]] const ConfigNode* find(std::string_view key) const;
};

struct ConfigEntry {
  std::string key;
  ConfigNode value;
};

/// "quickstart.yaml:7: loader.num_workers: …"
[[nodiscard]] ConfigError config_error(const ConfigNode& where, std::string_view key,
                                       std::string_view problem);

/// Throws ConfigError for a key of `map` that is not among `known`, naming the closest one.
void check_keys(const ConfigNode& map, std::string_view section,
                const std::vector<std::string_view>& known);

/// Parses YAML. Throws ConfigError with file and line on bad syntax, duplicate keys, and more
/// nesting or values than a sweep can need.
[[nodiscard]] ConfigNode parse_yaml(const std::string& text, const std::string& file_name);

}  // namespace feedrate
