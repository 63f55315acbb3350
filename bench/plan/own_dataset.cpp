#include "bench/plan/own_dataset.h"

#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bench/plan/values.h"

namespace feedrate {
namespace {

using Json = nlohmann::json;

// YAML's core schema, as far as JSON can say it.
Json plain_scalar(const std::string& text) {
  if (text == "~" || text == "null") return nullptr;
  if (text == "true" || text == "True") return true;
  if (text == "false" || text == "False") return false;
  const Json number = Json::parse(text, nullptr, false);
  return number.is_number() ? number : Json(text);
}

// JSON is UTF-8; a configuration may be any bytes.
std::string dump(const Json& json, const ConfigNode& node, std::string_view key) {
  try {
    return json.dump();
  } catch (const Json::type_error&) {
    throw config_error(node, key, "is no UTF-8; save the file as UTF-8");
  }
}

Json to_json(const ConfigNode& node) {
  switch (node.kind) {
    case ConfigNode::Kind::kNothing:
      return nullptr;
    case ConfigNode::Kind::kScalar:
      return node.quoted ? Json(node.scalar) : plain_scalar(node.scalar);
    case ConfigNode::Kind::kList: {
      Json list = Json::array();
      for (const ConfigNode& item : node.items) list.push_back(to_json(item));
      return list;
    }
    case ConfigNode::Kind::kMap:
      break;
  }
  Json map = Json::object();
  for (const ConfigEntry& entry : node.entries) map[entry.key] = to_json(entry.value);
  return map;
}

std::string reference(const ConfigNode& section, std::string_view name) {
  const ConfigNode* node = section.find(name);
  if (!node) return {};
  const std::string key = fmt::format("dataset.{}", name);
  const std::string& text = text_value(*node, key);
  static_cast<void>(dump(text, *node, key));
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos || colon == 0 || colon + 1 == text.size()) {
    throw config_error(
        *node, key,
        fmt::format("'{}' must be MODULE:FUNCTION, as my_project.data:make_dataset", text));
  }
  return text;
}

}  // namespace

std::optional<OwnDataset> parse_own_dataset(const ConfigNode& section) {
  constexpr std::array<std::string_view, 3> kOptions{"args", "collate_fn", "worker_init_fn"};
  constexpr std::array<std::string_view, 4> kOthers{"path", "make", "format", "skip_damaged"};
  const ConfigNode* torch = section.find("torch");
  for (const std::string_view option : kOptions) {
    const ConfigNode* node = section.find(option);
    if (!torch && node) {
      throw config_error(*node, fmt::format("dataset.{}", option),
                         "belongs to dataset.torch, which is missing");
    }
  }
  if (!torch) return std::nullopt;
  for (const std::string_view other : kOthers) {
    if (const ConfigNode* node = section.find(other)) {
      throw config_error(*node, fmt::format("dataset.{}", other),
                         "means nothing beside dataset.torch, whose code reads its data itself; "
                         "hand it over in dataset.args");
    }
  }
  OwnDataset own;
  own.factory = reference(section, "torch");
  own.collate_fn = reference(section, "collate_fn");
  own.worker_init_fn = reference(section, "worker_init_fn");
  if (const ConfigNode* arguments = section.find("args")) {
    if (arguments->kind != ConfigNode::Kind::kMap) {
      throw config_error(*arguments, "dataset.args", "must be names and values: {root: /data}");
    }
    own.arguments_json = dump(to_json(*arguments), *arguments, "dataset.args");
  }
  own.folders = {std::filesystem::path(*torch->file).parent_path(), "."};
  if (own.folders.front().empty()) own.folders.erase(own.folders.begin());
  return own;
}

}  // namespace feedrate
