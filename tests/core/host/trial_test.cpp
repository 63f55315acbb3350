// SPDX-License-Identifier: Apache-2.0
#include "core/host/trial.h"

#include <csignal>
#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "core/error.h"

namespace feedrate {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(WhyNotSurvived, is_empty_where_the_attempt_ends) {
  EXPECT_THAT(why_not_survived([] {}, {}), IsEmpty());
  EXPECT_THAT(why_not_survived([] { throw Error("damaged"); }, {}), IsEmpty());
}

TEST(WhyNotSurvived, names_the_signal_of_a_crash) {
  EXPECT_THAT(why_not_survived([] { std::raise(SIGSEGV); }, {.of = "a library"}),
              "crashes a library (SIGSEGV)");
  EXPECT_THAT(why_not_survived([] { std::abort(); }, {}), HasSubstr("SIGABRT"));
}

TEST(WhyNotSurvived, ends_what_goes_round_in_circles_or_waits_for_ever) {
  EXPECT_THAT(why_not_survived(
                  [] {
                    for (volatile bool on = true; on;) continue;
                  },
                  {.cpu = std::chrono::seconds(1)}),
              HasSubstr("1 s of CPU time"));
  EXPECT_THAT(why_not_survived(
                  [] {
                    for (;;) ::pause();
                  },
                  {.wall = std::chrono::seconds(0)}),
              HasSubstr("for more than 0 s"));
}

TEST(WhyNotSurvived, is_not_told_of_one_that_was_interrupted) {
  EXPECT_THROW((void)why_not_survived([] { std::raise(SIGINT); }, {}), Cancelled);
}

TEST(AnswerInATrial, is_what_was_asked_for_or_why_there_is_none) {
  EXPECT_EQ(answer_in_a_trial([] { return std::string("7"); }, {}), "7");
  EXPECT_EQ(answer_in_a_trial([]() -> std::string { throw Error("not here"); }, {}), "not here");
  EXPECT_EQ(answer_in_a_trial([] { return std::string(); }, {}), "");
}

TEST(AnswerInATrial, says_what_it_did_not_survive) {
  const auto crash = []() -> std::string {
    std::raise(SIGSEGV);
    return "never";
  };
  EXPECT_EQ(answer_in_a_trial(crash, {.of = "a library"}), "crashes a library (SIGSEGV)");
}

}  // namespace
}  // namespace feedrate
