// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/limits_json.h"

#include <sstream>

#include <gtest/gtest.h>

namespace feedrate {
namespace {

TEST(LimitsJson, has_rows_in_base_units_what_is_missing_the_machine_and_its_warnings) {
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
  limits.is_interrupted = true;
  std::ostringstream out;
  print_limits_json(out, limits, {.facts = {{"cpus_usable", "2"}}, .warnings = {"shared"}});
  EXPECT_EQ(out.str(), R"({
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
      "warning": "not cold"
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
  "interrupted": true,
  "environment": {
    "cpus_usable": "2"
  },
  "warnings": [
    "shared"
  ]
}
)");
}

}  // namespace
}  // namespace feedrate
