// SPDX-License-Identifier: Apache-2.0
#include "bench/plan/knobs.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "analysis/paste_lines.h"
#include "bench/plan/cell_spec.h"
#include "bench/plan/plan.h"
#include "bench/trainers/step_gemms.h"
#include "core/error.h"
#include "formats/zarr/zarr_codecs.h"
#include "tests/support/golden.h"
#include "tests/support/knob_values.h"

namespace feedrate::testing {
namespace {

SettingValue parsed(const Knob& knob, std::string_view text) {
  return text.empty() ? SettingValue(std::string()) : parse_knob(knob, std::string(text), "x");
}

TEST(Knobs, have_unique_names_and_ids_and_valid_defaults) {
  std::set<std::string_view> names;
  EXPECT_EQ(std::count_if(knobs().begin(), knobs().end(),
                          [](const Knob& knob) { return knob.id < KnobId::kOthers; }),
            static_cast<int>(KnobId::kOthers));
  for (const Knob& knob : knobs()) {
    EXPECT_EQ(&knob, &knob_of(knob.id)) << knob.name << ": another row has its id";
    EXPECT_TRUE(names.insert(knob.name).second) << knob.name;
    if (!knob.fallback.empty()) {
      EXPECT_NO_THROW(static_cast<void>(parse_knob(knob, std::string(knob.fallback), knob.name)))
          << knob.name;
    }
  }
}

TEST(Knobs, have_a_role_a_help_text_and_a_setter) {
  for (const Knob& knob : knobs()) {
    EXPECT_NE(knob.role, KnobRole::kNone) << knob.name;
    EXPECT_NE(knob.work, KnobWork::kNone) << knob.name;
    EXPECT_FALSE(knob.help.empty()) << knob.name;
    EXPECT_TRUE(knob.set != nullptr || (knob.only_torch && knob.section == "loader")) << knob.name;
  }
}

TEST(Knobs, have_the_codecs_that_zarr_is_written_with) {
  std::vector<std::string_view> names;
  for (const ZarrCompression& compression : kZarrCompressions) names.push_back(compression.name);
  EXPECT_EQ(find_knob("codec").choices, names);
}

TEST(Knobs, have_valid_values_if_idle) {
  for (const Knob& knob : knobs()) {
    for (const Idle& idle : knob.idle) {
      EXPECT_NO_THROW(static_cast<void>(parsed(knob, idle.value))) << knob.name;
      EXPECT_NO_THROW(static_cast<void>(parsed(knob, idle.kept))) << knob.name;
    }
  }
}

TEST(Knobs, have_unique_positions_in_the_output) {
  std::set<int> arguments, own, most_used;
  for (const Knob& knob : knobs()) {
    const LoaderArgument& argument = knob.argument;
    EXPECT_TRUE(argument.position == 0 || arguments.insert(argument.position).second) << knob.name;
    EXPECT_TRUE(knob.own.position == 0 || own.insert(knob.own.position).second) << knob.name;
    EXPECT_TRUE(knob.most_used == 0 || most_used.insert(knob.most_used).second) << knob.name;
  }
}

TEST(Knobs, are_read_from_their_section_of_the_file) {
  for (const Knob& knob : knobs()) {
    const std::string value = other_values(knob).front();
    const std::string own = std::string(knob.key) + ": '" + value + "'";
    std::string text = "dataset: {path: x";
    if (knob.section == "dataset") text += ", " + own;
    text += "}\n";
    if (knob.section.empty()) text += own + '\n';
    if (!knob.section.empty() && knob.section != "dataset") {
      text += std::string(knob.section) + ": {" + own + "}\n";
    }
    const SweepConfig config = parse_config(text, "s.yaml");
    EXPECT_TRUE(config.set.contains(std::string(knob.name))) << text;
    for (const Axis& axis : config.axes) {
      if (axis.name != knob.name) continue;
      EXPECT_EQ(axis.values, std::vector<SettingValue>{parsed(knob, value)}) << text;
    }
  }
}

TEST(Knobs, are_axes_of_the_command_line) {
  for (const Knob& knob : knobs()) {
    const std::string value = other_values(knob).front();
    const Axis axis = parse_axis(std::string(knob.name) + "=" + value);
    EXPECT_EQ(axis.name, knob.name);
    EXPECT_EQ(axis.values, std::vector<SettingValue>{parsed(knob, value)});
  }
}

TEST(Knobs, are_columns_in_their_order) {
  const SweepConfig config =
      parse_config("dataset: {path: x}\ndevice: {name: 'sim:h200'}\n", "s.yaml");
  const Settings settings = make_plan(config, {}).front().settings;
  ASSERT_EQ(settings.size(), knobs().size());
  for (std::size_t i = 0; i < settings.size(); ++i) EXPECT_EQ(settings[i].name, knobs()[i].name);
}

// The lines of a cell with two workers and defaults, except for `changed`.
std::string pasted_with(const Knob& changed, std::string_view value) {
  CellResult cell;
  for (const Knob& knob : knobs()) {
    const std::string_view usual = knob.name == "num_workers" ? "2" : knob.fallback;
    cell.settings.push_back(
        {std::string(knob.name), parsed(knob, &knob == &changed ? value : usual)});
  }
  return paste_ready({}, cell);
}

TEST(Knobs, change_the_pasted_lines_where_they_are_choices) {
  for (const Knob& knob : knobs()) {
    if (knob.role != KnobRole::kChoice) continue;
    const std::string usual = pasted_with(knob, knob.name == "num_workers" ? "2" : knob.fallback);
    const std::vector<std::string> values = other_values(knob);
    EXPECT_TRUE(std::any_of(values.begin(), values.end(), [&](const std::string& value) {
      return pasted_with(knob, value) != usual;
    })) << knob.name;
  }
}

TEST(Knobs, match_their_documentation) { expect_golden(knobs_markdown(), "docs/knobs.md"); }

TEST(Knobs, parse_to_their_type) {
  EXPECT_EQ(parse_knob(find_knob("pin_memory"), "true", "x"), SettingValue(true));
  EXPECT_EQ(parse_knob(find_knob("num_workers"), "8", "x"), SettingValue(std::int64_t{8}));
  EXPECT_EQ(parse_knob(find_knob("step_ms"), "2.5", "x"), SettingValue(2.5));
  EXPECT_EQ(parse_knob(find_knob("copy_stream"), "side", "x"), SettingValue(std::string("side")));
}

TEST(Knobs, offer_every_model_and_arithmetic) {
  EXPECT_TRUE(std::equal(model_names().begin(), model_names().end(),
                         find_knob("model").choices.begin(), find_knob("model").choices.end()));
  for (const Precision precision : precisions()) {
    EXPECT_NO_THROW(static_cast<void>(
        parse_knob(find_knob("precision"), std::string(to_string(precision)), "x")));
  }
}

TEST(Knobs, accept_what_pytorch_refuses_only_when_it_iterates) {
  EXPECT_EQ(parse_knob(find_knob("prefetch_factor"), "0", "x"), SettingValue(std::int64_t{0}));
}

TEST(Knobs, refuse_other_types_and_values) {
  for (const auto& [name, text] : {std::pair{"pin_memory", "1"},
                                   std::pair{"num_workers", "1.5"},
                                   std::pair{"num_workers", "5000"},
                                   std::pair{"num_workers", "-1"},
                                   std::pair{"prefetch_factor", "-1"},
                                   std::pair{"timeout", "-1"},
                                   std::pair{"multiprocessing_context", "forkk"},
                                   std::pair{"step_ms", "nan"},
                                   std::pair{"step_ms", "-1"},
                                   std::pair{"copy_stream", "other"},
                                   std::pair{"format", "rar"},
                                   std::pair{"device", "sim:x"},
                                   std::pair{"device_prefetch", "3"},
                                   std::pair{"precision", "fp4"},
                                   std::pair{"model", "alexnet"},
                                   std::pair{"shapes", "1x2"},
                                   std::pair{"steps_ms", "1 x"},
                                   std::pair{"steps_ms", ""},
                                   std::pair{"steps_ms", "1 -1"},
                                   std::pair{"wire_dtype", "int8"}}) {
    EXPECT_THROW(static_cast<void>(parse_knob(find_knob(name), text, "x")), ConfigError)
        << name << '=' << text;
  }
}

}  // namespace
}  // namespace feedrate::testing
