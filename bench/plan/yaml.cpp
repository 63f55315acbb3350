// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include "bench/plan/config_node.h"

namespace feedrate {
namespace {

constexpr std::size_t kMostNodes = 100'000;
constexpr int kDeepest = 16;  // no sweep needs more; protects the stack

void add_entry(ConfigNode& map, const std::string& key, ConfigNode value) {
  if (map.find(key)) throw config_error(value, key, "is a duplicate key");
  map.entries.push_back({key, std::move(value)});
}

class Converter {
 public:
  explicit Converter(const std::string& file_name)
      : file_(std::make_shared<const std::string>(file_name)) {}

  ConfigNode convert(const YAML::Node& yaml, int depth) {
    ConfigNode node;
    node.file = file_;
    node.line = yaml.Mark().line + 1;
    if (depth > kDeepest) throw config_error(node, "", "nested too deeply");
    // a few lines with aliases of aliases can expand to very many values
    if (++nodes_ > kMostNodes) throw config_error(node, "", "has too many values");
    switch (yaml.Type()) {
      case YAML::NodeType::Undefined:
      case YAML::NodeType::Null:
        break;
      case YAML::NodeType::Scalar:
        node.kind = ConfigNode::Kind::kScalar;
        node.scalar = yaml.Scalar();
        node.quoted = yaml.Tag() == "!";
        break;
      case YAML::NodeType::Sequence:
        node.kind = ConfigNode::Kind::kList;
        for (const YAML::Node& item : yaml) node.items.push_back(convert(item, depth + 1));
        break;
      case YAML::NodeType::Map:
        node.kind = ConfigNode::Kind::kMap;
        for (const auto& entry : yaml) {
          if (!entry.first.IsScalar()) throw config_error(node, "", "a key must be a plain string");
          ConfigNode value = convert(entry.second, depth + 1);
          // an empty value has no line, but its key has
          if (value.kind == ConfigNode::Kind::kNothing) value.line = entry.first.Mark().line + 1;
          add_entry(node, entry.first.Scalar(), std::move(value));
        }
        break;
    }
    return node;
  }

 private:
  std::shared_ptr<const std::string> file_;
  std::size_t nodes_ = 0;
};

// yaml-cpp names the enclosing block, not what ended it.
std::string_view indentation_hint(std::string_view problem) {
  const bool is_of_a_block = problem.starts_with("end of map not found") ||
                             problem.starts_with("end of sequence not found") ||
                             problem.starts_with("illegal map value");
  return is_of_a_block ? "; indent this line as the other lines of its block, by spaces" : "";
}

}  // namespace

ConfigNode parse_yaml(const std::string& text, const std::string& file_name) {
  try {
    return Converter(file_name).convert(YAML::Load(text), 0);
  } catch (const YAML::Exception& error) {
    throw ConfigError(fmt::format("{}:{}:{}: not valid YAML: {}{}", file_name, error.mark.line + 1,
                                  error.mark.column + 1, error.msg, indentation_hint(error.msg)));
  }
}

}  // namespace feedrate
