// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/limits_json.h"

#include <ostream>

#include <nlohmann/json.hpp>

namespace feedrate {
namespace {

using Json = nlohmann::ordered_json;

// The JSON library writes NaN as null.
Json json_of(const Limit& row) {
  Json json{{"topic", row.topic}, {"name", row.name}};
  if (row.size > 0) json["size_bytes"] = row.size;
  json["threads"] = row.threads;
  json["value"] = row.value;
  json["unit"] = row.unit;
  json["note"] = row.note;
  if (!row.warning.empty()) json["warning"] = row.warning;
  return json;
}

Json machine_of(const Environment& environment) {
  Json facts = Json::object();
  for (const Fact& fact : environment.facts) facts[fact.name] = fact.value;
  return facts;
}

}  // namespace

void print_limits_json(std::ostream& out, const Limits& limits, const Environment& environment) {
  Json rows = Json::array();
  Json left_out = Json::array();
  for (const LimitSection& section : limits.sections) {
    for (const Limit& row : section.rows) rows.push_back(json_of(row));
    if (section.left_out.empty()) continue;
    left_out.push_back(Json{{"topic", section.topic}, {"reason", section.left_out}});
  }
  constexpr int kLimitsVersion = 1;
  out << Json{{"schema_version", kLimitsVersion},
              {"limits", rows},
              {"left_out", left_out},
              {"interrupted", limits.is_interrupted},
              {"environment", machine_of(environment)},
              {"warnings", environment.warnings}}
             .dump(2)
      << '\n';
}

}  // namespace feedrate
