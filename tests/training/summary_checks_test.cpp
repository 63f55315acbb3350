// SPDX-License-Identifier: Apache-2.0
#include "training/summary_checks.h"

#include <random>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "training/summary_text.h"

namespace feedrate::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StrEq;

WaitFacts waits(double stall) {
  WaitFacts facts;
  facts.stall = stall;
  return facts;
}

TuningFacts tuned() {
  TuningFacts facts;
  facts.changes = "num_workers=0 -> 4";
  facts.is_recommended = true;
  facts.gain = MeasuredGain{1.5, 1.4, 1.6};
  facts.confidence = 0.9;
  facts.considered = 13;
  facts.tried = 4;
  facts.cost_seconds = 1.2;
  facts.cost_share = 0.04;
  facts.bound_base = "1,000 steps";
  return facts;
}

TuningFacts untuned() {
  TuningFacts facts = tuned();
  facts.changes.clear();
  facts.gain.reset();
  facts.tried = 1;
  facts.cost_seconds = facts.cost_share = 0.0;
  return facts;
}

// The lines that state() allows.
std::string lines_of(const TuningFacts& tuning, const WaitFacts& before) {
  const TuningStatement statement = state(tuning, before);
  std::vector<std::string> lines{
      wait_text(before, {"the workers compute", 2, 8, statement.exceeds_most}),
      "tuned: " + gain_text(tuning, statement)};
  for (const std::string& line : failure_lines(tuning)) lines.push_back(line);
  if (statement.outcome != TuningOutcome::kGivenUp) lines.push_back(claim_text(tuning, statement));
  return fmt::format("{}", fmt::join(lines, "\n"));
}

TEST(SummaryChecks, name_the_bound_of_a_step) {
  EXPECT_THAT(to_string(bound_of(waits(0.11))), StrEq("INPUT-BOUND"));
  EXPECT_THAT(to_string(bound_of(waits(0.09))), StrEq("BALANCED"));
  EXPECT_THAT(to_string(bound_of(waits(0.01))), StrEq("TRAINING-BOUND"));
  WaitFacts with_gpu = waits(0.01);
  with_gpu.has_gpu = true;
  EXPECT_THAT(to_string(bound_of(with_gpu)), StrEq("GPU-BOUND"));
  WaitFacts other_thread = waits(1.0);
  other_thread.is_taken_by_a_thread = true;
  EXPECT_THAT(to_string(bound_of(other_thread)), StrEq("UNKNOWN"));
  EXPECT_FALSE(most_to_win(other_thread));
}

TEST(SummaryChecks, are_input_bound_if_the_slowest_part_is) {
  WaitFacts facts = waits(0.05);
  facts.slowest_part = 0.4;
  EXPECT_EQ(bound_of(facts), Bound::kInput);
}

TEST(SummaryText, has_the_cpus_and_the_workers) {
  EXPECT_EQ(
      wait_text(waits(0.5), {"the workers compute", 2, 8}),
      "INPUT-BOUND: the workers compute; at most 2.00x to win. 2 CPUs are usable; 8 workers.");
  EXPECT_THAT(wait_text(waits(0.5), {"x", 1, 0}), HasSubstr("to win. 1 CPU is usable."));
  EXPECT_THAT(wait_text(waits(0.5), {"x", 1, 1}), HasSubstr("1 CPU is usable; 1 worker."));
}

TEST(SummaryText, of_a_step_that_only_waits_has_no_factor) {
  EXPECT_THAT(wait_text(waits(1.0), {"x", 2, 8}), HasSubstr("a step does nothing but wait"));
}

TEST(SummaryText, of_a_gain_beyond_the_most_has_the_reason) {
  TuningFacts facts = tuned();
  facts.gain = MeasuredGain{3.2, 3.0, 3.4};
  const std::string lines = lines_of(facts, waits(0.5));
  EXPECT_THAT(lines, HasSubstr("at most 2.00x to win by the steps before the tuning"));
  EXPECT_THAT(lines, HasSubstr("3.20x (3.00 to 3.40), more than the steps before"));
  facts.gain = MeasuredGain{2.004, 1.9, 2.1};  // As it is printed, no more.
  EXPECT_THAT(lines_of(facts, waits(0.5)), Not(HasSubstr("more than")));
}

TEST(SummaryText, of_an_interval_that_contains_1_shows_nothing) {
  TuningFacts facts = tuned();
  facts.gain = MeasuredGain{1.05, 1.002, 1.1};  // Printed as 1.00.
  EXPECT_FALSE(state(facts, waits(0.5)).gain);
  EXPECT_THAT(lines_of(facts, waits(0.5)),
              HasSubstr("num_workers=0 -> 4: 1.05x (1.00 to 1.10), not shown to be faster"));
}

TEST(SummaryText, of_a_change_without_a_gain_is_not_compared) {
  TuningFacts facts = tuned();
  facts.gain.reset();
  EXPECT_THAT(lines_of(facts, waits(0.5)),
              HasSubstr("num_workers=0 -> 4, not compared with the script's own settings"));
}

TEST(SummaryText, has_a_cost_beyond_its_bound) {
  TuningFacts facts = tuned();
  facts.cost_share = 0.083;
  EXPECT_THAT(lines_of(facts, waits(0.5)),
              HasSubstr("8.3 % of 1,000 steps, more than the bound of 5.0 %"));
  facts.cost_share = 0.05;
  EXPECT_THAT(lines_of(facts, waits(0.5)), Not(HasSubstr("the bound")));
}

TEST(SummaryText, of_failed_settings_has_the_reasons) {
  TuningFacts facts = untuned();
  facts.failed = {{"num_workers=1", "2 workers hung"}, {"num_workers=2", "1.5 workers hung"}};
  facts.cost_seconds = 60.0;
  facts.cost_share = 12.3;
  const std::string lines = lines_of(facts, waits(0.5));
  EXPECT_THAT(lines, HasSubstr("the settings stay as they are; no other could be measured"));
  EXPECT_THAT(lines, HasSubstr("failed: num_workers=1; num_workers=2: 2 workers hung"));
  EXPECT_THAT(lines, HasSubstr("11 settings that could be measured were considered; trying cost "
                               "60.0 s, 1230.0 % of 1,000 steps, more than the bound of 5.0 %"));
  EXPECT_THAT(lines, Not(HasSubstr("shown to be faster")));
}

TEST(SummaryText, of_trials_that_did_not_fit_has_their_names) {
  TuningFacts facts = untuned();
  facts.unaffordable = {{"num_workers=2", "starting workers by spawn takes about 3.2 s"}};
  const std::string lines = lines_of(facts, waits(0.5));
  EXPECT_THAT(lines, HasSubstr("each trial would have cost more than the bound of 5.0 %"));
  EXPECT_THAT(lines, HasSubstr("not tried: num_workers=2: starting workers by spawn takes"));
}

TEST(SummaryText, of_an_untried_choice_calls_it_a_prediction) {
  TuningFacts facts = untuned();
  facts.confidence = 1.0;
  const TuningStatement statement = state(facts, waits(0.5));
  EXPECT_LT(statement.confidence, 1.0);
  EXPECT_EQ(claim_text(facts, statement),
            "by prediction alone within 2 % of the best of 13 settings; none was tried");
  EXPECT_THAT(gain_text(facts, state(facts, waits(0.01))), HasSubstr("there is nothing to win"));
}

// Facts of any kind, consistent or not.
class RandomFacts {
 public:
  WaitFacts waits() {
    WaitFacts facts;
    facts.stall = share();
    facts.has_gpu = chance(2);
    facts.is_taken_by_a_thread = chance(8);
    if (chance(3)) facts.slowest_part = share();
    return facts;
  }
  TuningFacts tuning() {
    TuningFacts facts;
    if (chance(2)) facts.changes = "num_workers=0 -> 4";
    facts.is_recommended = chance(2);
    if (chance(2)) {
      const double ratio = 0.5 + 3.0 * share();
      const double width = 0.3 * share();
      facts.gain = MeasuredGain{ratio, ratio - width, ratio + width};
    }
    facts.confidence = chance(3) ? 1.0 : share();
    facts.considered = number(1, 20);
    facts.tried = number(0, 6);
    facts.cost_seconds = chance(4) ? 0.0 : 10.0 * share();
    facts.cost_share = chance(4) ? 0.0 : 0.2 * share();
    facts.bound = chance(2) ? 0.05 : 0.2 * share();
    facts.bound_base = "1,000 steps";
    for (std::size_t i = chance(2) ? 0 : number(0, 4); i > 0; --i) {
      facts.failed.push_back(
          {fmt::format("num_workers={}", i), chance(2) ? "it hung" : "it ended"});
    }
    if (chance(4)) facts.unaffordable = {{"num_workers=9", "it starts slowly"}};
    if (chance(8)) facts.why_given_up = "memory runs out";
    return facts;
  }

 private:
  double share() { return chance(9) ? 1.0 : std::uniform_real_distribution<>(0.0, 1.0)(random_); }
  std::size_t number(std::size_t from, std::size_t to) {
    return std::uniform_int_distribution<std::size_t>(from, to)(random_);
  }
  bool chance(std::size_t of) { return number(1, of) == 1; }

  std::mt19937 random_{1128};
};

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// The number after `words`; -1 if they are missing.
double number_after(const std::string& text, const std::string& words) {
  const std::size_t at = text.find(words);
  return at == std::string::npos ? -1.0 : std::stod(text.substr(at + words.size()));
}

// The number before `words`.
double number_before(const std::string& text, const std::string& words) {
  const std::size_t at = text.find(words);
  return at == std::string::npos ? -1.0 : std::stod(text.substr(text.rfind(' ', at - 1) + 1));
}

constexpr const char* kBeforeGain = "tuned: num_workers=0 -> 4: ";

void expect_gain_in_agreement(const std::string& text) {
  const double gain = number_after(text, kBeforeGain);
  const double most = number_after(text, "at most ");
  if (gain > 0.0 && most > 0.0 && gain > most) {
    EXPECT_TRUE(has(text, "x to win by the steps before the tuning")) << text;
    EXPECT_TRUE(has(text, "more than the steps before the tuning could win")) << text;
  }
  if (gain > 1.02) {
    EXPECT_FALSE(has(text, "nothing left to win")) << text;
  }
  if (gain > 0.0 && number_after(text, "x (") <= 1.0) {
    EXPECT_TRUE(has(text, "not shown to be faster")) << text;
  }
}

void expect_cost_in_agreement(const std::string& text, const TuningFacts& facts) {
  const double cost = number_before(text, " % of 1,000 steps");
  const bool is_told = has(text, "trying cost") || has(text, "which cost");
  if (is_told && cost > std::stod(fmt::format("{:.1f}", 100.0 * facts.bound))) {
    EXPECT_TRUE(has(text, "more than the bound of")) << text;
  }
}

void expect_trials_in_agreement(const std::string& text, const TuningFacts& facts) {
  for (const FailedSettings& trial : facts.failed) EXPECT_TRUE(has(text, trial.reason)) << text;
  if (!facts.failed.empty()) {
    EXPECT_FALSE(has(text, "; none was shown to be faster")) << text;
  }
  if (has(text, "none was shown to be faster")) {
    EXPECT_GE(facts.tried, 2U) << text;
  }
  if (has(text, "100 %:")) {
    EXPECT_GE(facts.tried, 2U) << text;
  }
  if (has(text, "of the best of")) {
    EXPECT_TRUE(facts.tried >= 2 || has(text, "by prediction alone")) << text;
  }
}

void expect_bound_in_agreement(const std::string& text, const WaitFacts& before) {
  if (!before.has_gpu) {
    EXPECT_FALSE(has(text, "GPU")) << text;
  }
  const bool waits = before.stall > 0.1 || before.slowest_part > 0.1;
  if (waits && !before.is_taken_by_a_thread) {
    EXPECT_TRUE(has(text, "INPUT-BOUND")) << text;
    EXPECT_FALSE(has(text, "nothing left") || has(text, "nothing to win")) << text;
  }
  if (before.is_taken_by_a_thread) {
    EXPECT_FALSE(has(text, "at most")) << text;
  }
}

TEST(SummaryText, of_random_facts_never_contradicts_itself) {
  RandomFacts random;
  for (int i = 0; i < 20'000 && !HasFailure(); ++i) {
    const WaitFacts before = random.waits();
    const TuningFacts facts = random.tuning();
    const std::string text = lines_of(facts, before);
    expect_gain_in_agreement(text);
    expect_cost_in_agreement(text, facts);
    expect_trials_in_agreement(text, facts);
    expect_bound_in_agreement(text, before);
    const TuningStatement statement = state(facts, before);  // For the JSON.
    EXPECT_EQ(statement.gain.has_value(),
              number_after(text, kBeforeGain) > 0.0 && !has(text, "not shown to be faster"));
    EXPECT_TRUE(statement.confidence < 1.0 || facts.tried >= 2);
  }
}

}  // namespace
}  // namespace feedrate::testing
