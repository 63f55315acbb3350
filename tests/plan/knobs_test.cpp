#include "plan/knobs.h"

#include <algorithm>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "core/error.h"
#include "trainers/step_gemms.h"

namespace feedrate {
namespace {

TEST(Knobs, have_names_of_their_own_and_fallbacks_that_are_valid) {
  std::set<std::string_view> names;
  for (const Knob& knob : knobs()) {
    EXPECT_TRUE(names.insert(knob.name).second) << knob.name;
    if (!knob.fallback.empty()) {
      EXPECT_NO_THROW(static_cast<void>(parse_knob(knob, std::string(knob.fallback), knob.name)))
          << knob.name;
    }
  }
}

TEST(Knobs, have_each_a_role) {
  for (const Knob& knob : knobs()) EXPECT_NE(knob.role, KnobRole::kNone) << knob.name;
}

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

TEST(Knobs, let_pass_what_pytorch_refuses_only_when_it_iterates) {
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
                                   std::pair{"sync", "busy"},
                                   std::pair{"memory_intensity", "1.5"},
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
}  // namespace feedrate
