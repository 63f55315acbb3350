#include "bench/calibration/yaml_file.h"

#include <fmt/format.h>

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

}  // namespace feedrate
