// SPDX-License-Identifier: Apache-2.0
#include "bench/plan/values.h"

#include <fmt/format.h>

#include "core/parse_number.h"

namespace feedrate {
namespace {

template <typename Number>
Number parse(const ConfigNode& node, std::string_view key, Number least, Number most,
             std::string_view kind) {
  const std::string& text = text_value(node, key);
  const std::optional<Number> value = parse_number<Number>(text);
  if (!value) throw config_error(node, key, fmt::format("'{}' is not {}", text, kind));
  if (!(*value >= least && *value <= most)) {
    throw config_error(
        node, key, fmt::format("{} is out of range; must be between {} and {}", text, least, most));
  }
  return *value;
}

}  // namespace

const std::string& text_value(const ConfigNode& node, std::string_view key) {
  if (node.kind != ConfigNode::Kind::kScalar) {
    throw config_error(node, key, "must be a single value");
  }
  return node.scalar;
}

double number_value(const ConfigNode& node, std::string_view key, double least, double most) {
  return parse(node, key, least, most, "a number");
}

std::int64_t integer_value(const ConfigNode& node, std::string_view key, std::int64_t least,
                           std::int64_t most) {
  return parse(node, key, least, most, "a whole number");
}

bool bool_value(const ConfigNode& node, std::string_view key) {
  const std::string& text = text_value(node, key);
  if (text != "true" && text != "false") {
    throw config_error(node, key, fmt::format("'{}' is not true or false", text));
  }
  return text == "true";
}

std::vector<double> number_list(const ConfigNode& node, std::string_view key, std::size_t count,
                                double least, double most) {
  if (node.kind != ConfigNode::Kind::kList || node.items.size() != count) {
    throw config_error(node, key, fmt::format("must be a list of {} numbers", count));
  }
  std::vector<double> values;
  for (const ConfigNode& item : node.items) values.push_back(number_value(item, key, least, most));
  return values;
}

std::string quoted_yaml(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) quoted.append(c == '\'' ? 2 : 1, c);
  return quoted + "'";
}

}  // namespace feedrate
