// SPDX-License-Identifier: Apache-2.0
#include "bench/plan/own_dataset.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bench/plan/values.h"
#include "core/contains.h"
#include "core/parse_number.h"

namespace feedrate {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kDecimal = "0123456789";

std::size_t count_digits(std::string_view text, std::size_t begin) {
  if (begin >= text.size()) return 0;
  return std::min(text.find_first_not_of(kDecimal, begin), text.size()) - begin;
}

bool has_sign(std::string_view text) { return text.starts_with('+') || text.starts_with('-'); }

// Matches [-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )?
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
  return contains(kNoNumber, text) || contains(kInfinite, has_sign(text) ? text.substr(1) : text);
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

// Follows the core schema of YAML 1.2.2, section 10.3.2.
Json plain_scalar(const ConfigNode& node, std::string_view key) {
  constexpr std::array<std::string_view, 5> kNull{"", "~", "null", "Null", "NULL"};
  constexpr std::array<std::string_view, 3> kTrue{"true", "True", "TRUE"};
  constexpr std::array<std::string_view, 3> kFalse{"false", "False", "FALSE"};
  const std::string& text = node.scalar;
  if (contains(kNull, text)) return nullptr;
  if (contains(kTrue, text)) return true;
  if (contains(kFalse, text)) return false;
  const bool number = looks_like_float(text) || looks_like_integer_of_base(text);
  if (!number && !is_infinite_or_no_number(text)) return text;
  Json value = number ? parse_any_number(text) : Json();
  if (!value.is_null()) return value;
  throw config_error(node, key,
                     fmt::format("{} is not a finite 64-bit number; quote it, and convert it in "
                                 "the function of dataset.torch",
                                 text));
}

std::string dump(const Json& json, const ConfigNode& node, std::string_view key) {
  try {
    return json.dump();
  } catch (const Json::type_error&) {
    throw config_error(node, key, "is not valid UTF-8; save the file as UTF-8");
  }
}

Json to_json(const ConfigNode& node, std::string_view key) {
  switch (node.kind) {
    case ConfigNode::Kind::kNothing:
      return nullptr;
    case ConfigNode::Kind::kScalar:
      return node.quoted ? Json(node.scalar) : plain_scalar(node, key);
    case ConfigNode::Kind::kList: {
      Json list = Json::array();
      for (const ConfigNode& item : node.items) list.push_back(to_json(item, key));
      return list;
    }
    case ConfigNode::Kind::kMap:
      break;
  }
  Json map = Json::object();
  for (const ConfigEntry& entry : node.entries) map[entry.key] = to_json(entry.value, key);
  return map;
}

// A variant's values, with the section's for all variants as defaults.
struct Description {
  OwnDataset own;
  Json arguments = Json::object();
  std::vector<ConfigEntry> axes;
};

constexpr std::array<std::string_view, 7> kKeys{
    "torch", "args", "axes", "sampler", "batch_sampler", "collate_fn", "worker_init_fn"};

void read_reference(const ConfigNode& section, std::string_view name, std::string_view prefix,
                    std::string& target) {
  const ConfigNode* node = section.find(name);
  if (!node) return;
  const std::string key = fmt::format("{}.{}", prefix, name);
  target = text_value(*node, key);
  static_cast<void>(dump(target, *node, key));
  const std::string problem = why_no_reference(target);
  if (!problem.empty()) throw config_error(*node, key, problem);
}

void read_arguments(const ConfigNode& section, std::string_view prefix, Json& target) {
  const ConfigNode* node = section.find("args");
  if (!node) return;
  const std::string key = fmt::format("{}.args", prefix);
  if (node->kind != ConfigNode::Kind::kMap) {
    throw config_error(*node, key, "must map names to values: {root: /data}");
  }
  const Json arguments = to_json(*node, key);
  static_cast<void>(dump(arguments, *node, key));
  target.update(arguments);
}

void read_axes(const ConfigNode& section, std::string_view prefix,
               std::vector<ConfigEntry>& target) {
  const ConfigNode* node = section.find("axes");
  if (!node) return;
  const std::string key = fmt::format("{}.axes", prefix);
  if (node->kind != ConfigNode::Kind::kMap) {
    throw config_error(*node, key, "must map arguments to lists of values: {chunk: [1, 8, 64]}");
  }
  for (const ConfigEntry& axis : node->entries) {
    const std::string name = fmt::format("{}.{}", key, axis.key);
    const std::vector<ConfigNode>& values = axis.value.items;
    if (values.empty()) throw config_error(axis.value, name, "must be a list, such as [1, 8, 64]");
    for (const ConfigNode& value : values) {
      const bool is_scalar = value.kind == ConfigNode::Kind::kScalar;
      if (is_scalar && value.scalar.find_first_of(",\n") == std::string::npos) continue;
      throw config_error(value, name, "must be numbers or words without a comma");
    }
  }
  target = node->entries;
}

Description read_description(const ConfigNode& section, std::string_view prefix, Description base) {
  read_reference(section, "torch", prefix, base.own.factory);
  read_reference(section, "collate_fn", prefix, base.own.collate_fn);
  read_reference(section, "worker_init_fn", prefix, base.own.worker_init_fn);
  read_reference(section, "sampler", prefix, base.own.sampler);
  read_reference(section, "batch_sampler", prefix, base.own.batch_sampler);
  if (!base.own.sampler.empty() && !base.own.batch_sampler.empty()) {
    throw config_error(section, fmt::format("{}.sampler", prefix),
                       "excludes batch_sampler, as in PyTorch; remove one");
  }
  read_arguments(section, prefix, base.arguments);
  read_axes(section, prefix, base.axes);
  return base;
}

// Adds a dataset per point of the axes; the last varies fastest. Names have what differs: "zarr
// chunk=8".
void add_points(const Description& description, std::size_t axis, std::vector<OwnDataset>& to) {
  if (axis == description.axes.size()) {
    to.push_back(description.own);
    to.back().arguments_json = description.arguments.dump();
    return;
  }
  const auto& [name, values] = description.axes[axis];
  for (const ConfigNode& value : values.items) {
    Description point = description;
    point.arguments[name] = to_json(value, "dataset.axes");
    std::string& variant = point.own.variant;
    variant += fmt::format("{}{}={}", variant.empty() ? "" : " ", name, value.scalar);
    add_points(point, axis + 1, to);
  }
}

std::vector<OwnDataset> parse_variants(const ConfigNode& variants, const Description& base) {
  constexpr std::string_view kSection = "dataset.variants";
  if (variants.entries.empty()) {
    throw config_error(variants, kSection,
                       "must map names to datasets: {hdf5: {torch: \"my_data:open_hdf5\"}}");
  }
  std::vector<OwnDataset> all;
  for (const auto& [name, section] : variants.entries) {
    const std::string prefix = fmt::format("{}.{}", kSection, name);
    if (name.empty() || name.find_first_of(",\n") != std::string::npos) {
      throw config_error(section, prefix, "must be named by words without a comma");
    }
    check_keys(section, prefix, {kKeys.begin(), kKeys.end()});
    Description description = base;
    description.own.variant = name;
    description = read_description(section, prefix, std::move(description));
    if (description.own.factory.empty()) {
      throw config_error(section, prefix, "needs torch: MODULE:FUNCTION, which opens the dataset");
    }
    add_points(description, 0, all);
  }
  return all;
}

void refuse_key(const ConfigNode& section, std::string_view key, std::string_view why) {
  if (const ConfigNode* node = section.find(key)) {
    throw config_error(*node, fmt::format("dataset.{}", key), why);
  }
}

void require_distinct(const std::vector<OwnDataset>& all, const ConfigNode& section) {
  std::set<std::string_view> names;
  for (const OwnDataset& own : all) {
    if (names.insert(own.variant).second) continue;
    throw config_error(section, "dataset", fmt::format("variant {} is listed twice", own.variant));
  }
}

}  // namespace

std::string why_no_reference(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon != std::string::npos && colon != 0 && colon + 1 != text.size()) return {};
  return fmt::format("'{}' must be MODULE:FUNCTION, such as my_project.data:make_dataset", text);
}

std::string of_variant(std::string_view name, std::string_view variant) {
  return fmt::format("{}{}{}", name, variant.empty() ? "" : " ", variant);
}

std::vector<OwnDataset> parse_own_datasets(const ConfigNode& section) {
  const ConfigNode* const variants = section.find("variants");
  if (!section.find("torch") && !variants) {
    for (const std::string_view key : kKeys) {
      refuse_key(section, key, "needs dataset.torch, which is missing");
    }
    return {};
  }
  for (const std::string_view other : {"path", "make", "format", "skip_damaged"}) {
    refuse_key(section, other,
               "cannot be combined with dataset.torch, whose code reads its own data; pass it in "
               "dataset.args");
  }
  const Description common = read_description(section, "dataset", {});
  std::vector<OwnDataset> all;
  variants ? static_cast<void>(all = parse_variants(*variants, common))
           : add_points(common, 0, all);
  require_distinct(all, section);
  return all;
}

}  // namespace feedrate
