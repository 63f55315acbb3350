// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/limits_json.h"

#include <sstream>

#include <gtest/gtest.h>

namespace feedrate {
namespace {

std::string json_of(const Limits& limits, const Environment& environment = {}) {
  std::ostringstream out;
  print_limits_json(out, limits, environment);
  return out.str();
}

TEST(LimitsJson, rows_are_in_base_units_and_say_what_is_missing) {
  Limits limits;
  limits.sections.push_back(
      {.topic = "storage",
       .rows = {{.topic = "storage",
                 .name = "random cold",
                 .size = 4096,
                 .threads = 16,
                 .unit = "B/s",
                 .note = "first",
                 .value = 1e8,
                 .warning = "not cold"},
                {.topic = "device", .name = "launch and wait", .unit = "s"}}});
  limits.sections.push_back({.topic = "device", .left_out = "there is no GPU"});
  EXPECT_EQ(json_of(limits), R"({
  "schema_version": 1,
  "limits": [
    {
      "topic": "storage",
      "name": "random cold",
      "size_bytes": 4096,
      "threads": 16,
      "value": 100000000.0,
      "unit": "B/s",
      "note": "first",
      "doubt": "not cold"
    },
    {
      "topic": "device",
      "name": "launch and wait",
      "threads": 1,
      "value": null,
      "unit": "s",
      "note": ""
    }
  ],
  "left_out": [
    {
      "topic": "device",
      "reason": "there is no GPU"
    }
  ],
  "interrupted": false,
  "environment": {},
  "doubts": []
}
)");
}

TEST(LimitsJson, has_the_machine_and_its_warnings) {
  Limits limits;
  limits.is_interrupted = true;
  const std::string json =
      json_of(limits, {.facts = {{"cpus_usable", "2"}}, .warnings = {"shared"}});
  EXPECT_NE(json.find(R"("interrupted": true)"), std::string::npos) << json;
  EXPECT_NE(json.find(R"("cpus_usable": "2")"), std::string::npos) << json;
  EXPECT_NE(json.find("\"doubts\": [\n    \"shared\"\n  ]"), std::string::npos) << json;
}

}  // namespace
}  // namespace feedrate
