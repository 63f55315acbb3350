// SPDX-License-Identifier: Apache-2.0
#include "core/json_node.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/error.h"

namespace feedrate {
namespace {

using Json = nlohmann::ordered_json;

std::string shortened(const Json& value) {
  constexpr std::size_t kMost = 120;
  constexpr bool kAsciiOnly = true;
  const std::string text = value.dump(-1, ' ', kAsciiOnly, Json::error_handler_t::replace);
  return text.size() <= kMost ? text : text.substr(0, kMost) + "...";
}

// Takes any text: the parser reports what is no JSON.
bool is_nested_too_deep(std::string_view json) {
  std::size_t depth = 0;
  bool is_in_string = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (is_in_string) {
      if (c == '\\') ++i;
      if (c == '"') is_in_string = false;
    } else if (c == '"') {
      is_in_string = true;
    } else if (c == '[' || c == '{') {
      if (++depth > kDeepestJson) return true;
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return false;
}

Json parse(std::string_view text, const std::string& name) {
  if (is_nested_too_deep(text)) {
    throw FormatError({.file = name},
                      fmt::format("JSON is nested more than {} deep", kDeepestJson));
  }
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    throw FormatError({.file = name, .offset = error.byte}, error.what());
  } catch (const Json::exception& error) {  // A number that no double holds.
    throw FormatError({.file = name}, error.what());
  }
}

// JSON integers from 2^63 on do not fit into int64.
bool is_int64(const Json& value) {
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  return value.is_number_integer() &&
         (!value.is_number_unsigned() || value.get<std::uint64_t>() <= kMost);
}

// The path from `json`, whose path is `path`, to `wanted`, found by its address; empty if `wanted`
// is not within. Paths are needed in errors alone.
std::string find_path(const Json& json, const Json* wanted, const std::string& path) {
  if (&json == wanted) return path;
  if (!json.is_structured()) return {};
  for (const auto& [key, value] : json.items()) {  // of an array, the key is the index
    std::string found = find_path(
        value, wanted, path + fmt::format(fmt::runtime(json.is_object() ? ".{}" : "[{}]"), key));
    if (!found.empty()) return found;
  }
  return {};
}

}  // namespace

struct JsonNode::Document {
  std::string name;
  Json json;
};

JsonNode::JsonNode(std::string_view text, std::string name)
    : document_(std::make_shared<const Document>(Document{name, parse(text, name)})),
      json_(&document_->json) {}

JsonNode JsonNode::at(std::string_view key) const {
  JsonNode member = find(key);
  if (member.parent_ != nullptr) member.fail("is missing");
  return member;
}

JsonNode JsonNode::find(std::string_view key) const {
  static const Json kNull;
  require(json_->is_object(), "an object");
  const auto found = json_->find(key);
  if (found != json_->end()) return {document_, *found};
  JsonNode absent(document_, kNull);
  absent.parent_ = json_;
  absent.key_ = key;
  return absent;
}

bool JsonNode::has(std::string_view key) const { return json_->contains(key); }
bool JsonNode::is_null() const { return json_->is_null(); }
bool JsonNode::is_text() const { return json_->is_string(); }
bool JsonNode::is_object() const { return json_->is_object(); }

std::string JsonNode::text() const {
  require(json_->is_string(), "a text");
  return json_->get<std::string>();
}

std::string JsonNode::text_or_empty() const { return is_null() ? std::string() : text(); }

bool JsonNode::flag() const {
  require(json_->is_boolean(), "true or false");
  return json_->get<bool>();
}

std::int64_t JsonNode::integer(std::int64_t least) const {
  require(is_int64(*json_), "an integer");
  const auto value = json_->get<std::int64_t>();
  if (value < least) fail(fmt::format("is {}; must be an integer from {}", value, least));
  return value;
}

std::uint64_t JsonNode::whole(std::uint64_t most) const {
  require(json_->is_number_unsigned(), "a whole number");
  if (json_->get<std::uint64_t>() > most) fail(fmt::format("is more than {}", most));
  return json_->get<std::uint64_t>();
}

double JsonNode::number() const {
  require(json_->is_number(), "a number");
  return json_->get<double>();
}

std::vector<JsonNode> JsonNode::elements() const {
  require(json_->is_array(), "a list");
  std::vector<JsonNode> all;
  all.reserve(json_->size());
  for (const Json& element : *json_) all.push_back({document_, element});
  return all;
}

std::vector<std::pair<std::string, JsonNode>> JsonNode::members() const {
  require(json_->is_object(), "an object");
  std::vector<std::pair<std::string, JsonNode>> all;
  all.reserve(json_->size());
  for (const auto& [key, value] : json_->items()) {
    all.emplace_back(key, JsonNode(document_, value));
  }
  return all;
}

std::vector<std::string> JsonNode::texts() const {
  std::vector<std::string> all;
  for (const JsonNode& element : elements()) all.push_back(element.text());
  return all;
}

std::vector<double> JsonNode::numbers() const {
  require(json_->is_array() &&
              std::all_of(json_->begin(), json_->end(),
                          [](const Json& one) { return one.is_null() || one.is_number(); }),
          "a list of numbers");
  std::vector<double> all;
  all.reserve(json_->size());
  for (const Json& one : *json_) {
    all.push_back(one.is_null() ? std::numeric_limits<double>::quiet_NaN() : one.get<double>());
  }
  return all;
}

std::vector<std::int64_t> JsonNode::integers() const {
  require(json_->is_array() && std::all_of(json_->begin(), json_->end(), is_int64),
          "a list of integers");
  return json_->get<std::vector<std::int64_t>>();
}

std::string JsonNode::path() const {
  const std::string found = find_path(document_->json, parent_ == nullptr ? json_ : parent_, "$");
  return parent_ == nullptr ? found : fmt::format("{}.{}", found, key_);
}

void JsonNode::fail(std::string_view problem) const {
  throw FormatError({.file = document_->name}, fmt::format("{}: {}", path(), problem));
}

void JsonNode::require(bool is_so, std::string_view wanted) const {
  if (!is_so) fail(fmt::format("is {}; must be {}", shortened(*json_), wanted));
}

}  // namespace feedrate
