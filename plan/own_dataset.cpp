// SPDX-License-Identifier: Apache-2.0
#include "plan/own_dataset.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/parse_number.h"
#include "plan/values.h"

namespace feedrate {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kDecimal = "0123456789";

template <std::size_t N>
bool is_one_of(std::string_view text, const std::array<std::string_view, N>& words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

// How many characters of `text` there are from `begin` on that are digits.
std::size_t count_digits(std::string_view text, std::size_t begin) {
  if (begin >= text.size()) return 0;
  return std::min(text.find_first_not_of(kDecimal, begin), text.size()) - begin;
}

bool has_sign(std::string_view text) { return text.starts_with('+') || text.starts_with('-'); }

// [-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )?
bool looks_like_float(std::string_view text) {
  if (has_sign(text)) text.remove_prefix(1);
  const std::size_t whole = count_digits(text, 0);
  text.remove_prefix(whole);
  std::size_t fraction = 0;
  if (text.starts_with('.')) {
    fraction = count_digits(text, 1);
    text.remove_prefix(1 + fraction);
  }
  if (whole + fraction == 0) return false;
  if (text.empty()) return true;
  if (text.front() != 'e' && text.front() != 'E') return false;
  text.remove_prefix(1);
  if (has_sign(text)) text.remove_prefix(1);
  return !text.empty() && count_digits(text, 0) == text.size();
}

bool is_infinite_or_no_number(std::string_view text) {
  constexpr std::array<std::string_view, 3> kInfinite{".inf", ".Inf", ".INF"};
  constexpr std::array<std::string_view, 3> kNoNumber{".nan", ".NaN", ".NAN"};
  return is_one_of(text, kNoNumber) || is_one_of(has_sign(text) ? text.substr(1) : text, kInfinite);
}

template <typename Number, typename... Format>
Json json_number(std::string_view text, Format... format) {
  const std::optional<Number> number = parse_number<Number>(text, format...);
  return number ? Json(*number) : Json();
}

Json parse_integer(std::string_view text, int base) {
  const Json number = json_number<std::int64_t>(text, base);
  return number.is_null() ? json_number<std::uint64_t>(text, base) : number;
}

// Null if it is none, or more than 64 bits.
Json parse_any_number(std::string_view text) {
  if (text.starts_with("0x")) return parse_integer(text.substr(2), 16);
  if (text.starts_with("0o")) return parse_integer(text.substr(2), 8);
  if (text.starts_with('+')) text.remove_prefix(1);
  const std::size_t digits = text.starts_with('-') ? 1 : 0;
  if (count_digits(text, digits) == text.size() - digits) return parse_integer(text, 10);
  return json_number<double>(text);
}

bool looks_like_integer_of_base(std::string_view text) {
  const bool octal = text.starts_with("0o");
  if (text.size() < 3 || (!octal && !text.starts_with("0x"))) return false;
  const std::string_view digits = octal ? "01234567" : "0123456789abcdefABCDEF";
  return text.find_first_not_of(digits, 2) == std::string_view::npos;
}

// The core schema of YAML 1.2.2, section 10.3.2.
Json plain_scalar(const ConfigNode& node) {
  constexpr std::array<std::string_view, 5> kNull{"", "~", "null", "Null", "NULL"};
  constexpr std::array<std::string_view, 3> kTrue{"true", "True", "TRUE"};
  constexpr std::array<std::string_view, 3> kFalse{"false", "False", "FALSE"};
  const std::string& text = node.scalar;
  if (is_one_of(text, kNull)) return nullptr;
  if (is_one_of(text, kTrue)) return true;
  if (is_one_of(text, kFalse)) return false;
  const bool number = looks_like_float(text) || looks_like_integer_of_base(text);
  if (!number && !is_infinite_or_no_number(text)) return text;
  Json value = number ? parse_any_number(text) : Json();
  if (!value.is_null()) return value;
  throw config_error(node, "dataset.args",
                     fmt::format("{} is not a finite 64-bit number; quote it, and convert it in "
                                 "the function of dataset.torch",
                                 text));
}

// JSON is UTF-8; a configuration may be any bytes.
std::string dump(const Json& json, const ConfigNode& node, std::string_view key) {
  try {
    return json.dump();
  } catch (const Json::type_error&) {
    throw config_error(node, key, "is not valid UTF-8; save the file as UTF-8");
  }
}

Json to_json(const ConfigNode& node) {
  switch (node.kind) {
    case ConfigNode::Kind::kNothing:
      return nullptr;
    case ConfigNode::Kind::kScalar:
      return node.quoted ? Json(node.scalar) : plain_scalar(node);
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
        fmt::format("'{}' must be MODULE:FUNCTION, such as my_project.data:make_dataset", text));
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
                         "needs dataset.torch, which is missing");
    }
  }
  if (!torch) return std::nullopt;
  for (const std::string_view other : kOthers) {
    if (const ConfigNode* node = section.find(other)) {
      throw config_error(*node, fmt::format("dataset.{}", other),
                         "cannot be combined with dataset.torch, whose code reads its own data; "
                         "pass it in dataset.args");
    }
  }
  OwnDataset own;
  own.factory = reference(section, "torch");
  own.collate_fn = reference(section, "collate_fn");
  own.worker_init_fn = reference(section, "worker_init_fn");
  if (const ConfigNode* arguments = section.find("args")) {
    if (arguments->kind != ConfigNode::Kind::kMap) {
      throw config_error(*arguments, "dataset.args", "must map names to values: {root: /data}");
    }
    own.arguments_json = dump(to_json(*arguments), *arguments, "dataset.args");
  }
  own.folders = {std::filesystem::path(*torch->file).parent_path(), "."};
  if (own.folders.front().empty()) own.folders.erase(own.folders.begin());
  return own;
}

}  // namespace feedrate
