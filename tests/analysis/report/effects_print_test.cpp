// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/effects_print.h"

#include <limits>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/golden.h"

namespace feedrate {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::infinity();

Effect effect(const char* setting, const char* value, const char* reference, RateRatio gain) {
  return {setting, value, reference, 6, gain, {}};
}

// Effects of a sweep over num_workers, pin_memory and non_blocking; the last one was measured once.
std::vector<Effect> sample_effects() {
  std::vector<Effect> effects{effect("num_workers", "2", "0", {1.8, 1.7, 1.9}),
                              effect("num_workers", "8", "0", {4.1, 3.9, 4.3}),
                              effect("pin_memory", "true", "false", {1.012, 1.004, 1.02}),
                              effect("non_blocking", "true", "false", {1.18, 0.0, kUnknown})};
  effects[2].interactions = {
      {"non_blocking", 1.17, {{"false", 3, {1.003, 0.99, 1.01}}, {"true", 3, {1.18, 1.17, 1.19}}}}};
  // The reverse of the same pair, printed once.
  effects[3].interactions = {{"pin_memory", 1.16, {{"false", 3, {}}, {"true", 3, {}}}}};
  return effects;
}

std::string printed(TableStyle style, std::size_t width = 0) {
  std::ostringstream out;
  print_effects(out, sample_effects(), style, width);
  return out.str();
}

TEST(EffectsPrint, is_as_committed_on_a_terminal) {
  expect_golden(printed(TableStyle::kTerminal), "tests/golden/report/effects.txt");
}

TEST(EffectsPrint, is_as_committed_in_markdown) {
  expect_golden(printed(TableStyle::kMarkdown), "tests/golden/report/effects.md");
}

TEST(EffectsPrint, prints_nothing_without_an_effect) {
  std::ostringstream out;
  print_effects(out, {}, TableStyle::kTerminal);
  EXPECT_EQ(out.str(), "");
}

TEST(EffectsJson, has_all_and_null_for_what_is_not_known) {
  const auto json = nlohmann::json::parse(effects_to_json(sample_effects()));
  ASSERT_EQ(json.at("effects").size(), 4U);
  EXPECT_DOUBLE_EQ(json.at("effects").at(2).at("gain").at("low").get<double>(), 1.004);
  EXPECT_EQ(json.at("effects").at(2).at("interactions").at(0).at("beside").at(1).at("value"),
            "true");
  EXPECT_TRUE(json.at("effects").at(3).at("gain").at("high").is_null());
}

}  // namespace
}  // namespace feedrate
