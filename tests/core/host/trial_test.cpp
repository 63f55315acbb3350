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

TEST(WhyNotSurvived, is_empty_if_the_attempt_ends) {
  EXPECT_THAT(why_not_survived([] {}, {}), IsEmpty());
  EXPECT_THAT(why_not_survived([] { throw Error("damaged"); }, {}), IsEmpty());
}

TEST(WhyNotSurvived, names_the_signal_of_a_crash) {
  EXPECT_THAT(why_not_survived([] { std::raise(SIGSEGV); }, {.of = "a library"}),
              "crashes a library (SIGSEGV)");
  EXPECT_THAT(why_not_survived([] { std::abort(); }, {}), HasSubstr("SIGABRT"));
}

TEST(WhyNotSurvived, ends_an_endless_loop_and_an_endless_wait) {
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

TEST(WhyNotSurvived, throws_if_the_attempt_was_interrupted) {
  EXPECT_THROW((void)why_not_survived([] { std::raise(SIGINT); }, {}), Cancelled);
}

TEST(AnswerInATrial, is_the_answer_or_the_error_message) {
  EXPECT_EQ(answer_in_a_trial([] { return std::string("7"); }, {}), "7");
  EXPECT_EQ(answer_in_a_trial([]() -> std::string { throw Error("not here"); }, {}), "not here");
  EXPECT_EQ(answer_in_a_trial([] { return std::string(); }, {}), "");
}

TEST(AnswerInATrial, describes_the_crash) {
  const auto crash = []() -> std::string {
    std::raise(SIGSEGV);
    return "never";
  };
  EXPECT_EQ(answer_in_a_trial(crash, {.of = "a library"}), "crashes a library (SIGSEGV)");
}

}  // namespace
}  // namespace feedrate
