// SPDX-License-Identifier: Apache-2.0
#include "bench/plan/config_node.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/did_you_mean.h"

namespace feedrate {

const ConfigNode* ConfigNode::find(std::string_view key) const {
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [&](const ConfigEntry& entry) { return entry.key == key; });
  return found == entries.end() ? nullptr : &found->value;
}

ConfigError config_error(const ConfigNode& where, std::string_view key, std::string_view problem) {
  return ConfigError(
      fmt::format("{}:{}: {}: {}", where.file ? *where.file : "", where.line, key, problem));
}

void check_keys(const ConfigNode& map, std::string_view section,
                const std::vector<std::string_view>& known) {
  const std::string prefix = section.empty() ? "" : fmt::format("{}.", section);
  if (map.kind != ConfigNode::Kind::kMap && map.kind != ConfigNode::Kind::kNothing) {
    throw config_error(map, section,
                       fmt::format("must be a map with the keys {}", fmt::join(known, ", ")));
  }
  for (const auto& [key, value] : map.entries) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    throw config_error(value, prefix + key,
                       fmt::format("unknown key{}; valid keys: {}", did_you_mean(key, known),
                                   fmt::join(known, ", ")));
  }
}

}  // namespace feedrate
