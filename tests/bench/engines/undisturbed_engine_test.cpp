// SPDX-License-Identifier: Apache-2.0
#include "bench/engines/undisturbed_engine.h"

#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include "analysis/foreign_load.h"
#include "core/error.h"
#include "core/host/pauses.h"
#include "tests/support/message_of.h"

namespace feedrate {
namespace {

using ::testing::HasSubstr;

// Each try takes ten seconds of the clock; the script returns its result by its number.
class Tries : public ::testing::Test {
 protected:
  using Script = std::function<Repeat(std::size_t)>;

  void script(Script script, Nanos limit = std::chrono::seconds(45)) {
    auto engine = std::make_unique<Scripted>(*this, std::move(script));
    undisturbed_ = make_undisturbed_engine(std::move(engine), limit, clock_);
  }
  Repeat start() { return undisturbed_->run({}, stop_.get_token()); }

  // Collects time of first tries, so that extra tries are allowed.
  void measure_quiet_starts(std::size_t starts) {
    for (std::size_t i = 0; i < starts; ++i) static_cast<void>(start());
  }

  std::size_t tries_ = 0;
  std::stop_source stop_;

 private:
  class Scripted final : public CellEngine {
   public:
    Scripted(Tries& tries, Script script) : tries_(tries), script_(std::move(script)) {}
    Repeat run(const CellSpec&, const std::stop_token&) override {
      tries_.clock_.sleep_for(std::chrono::seconds(10));
      return script_(tries_.tries_++);
    }

   private:
    Tries& tries_;
    Script script_;
  };

  ManualClock clock_;
  std::unique_ptr<CellEngine> undisturbed_;
};

Repeat quiet() { return {{{"disturbed", 0.0}, {"foreign_cpu", 0.01}}, {}}; }

Repeat disturbed(double foreign) {
  return {{{"disturbed", 1.0}, {"foreign_cpu", foreign}, {"steal", 0.0}}, {}};
}

TEST_F(Tries, are_one_for_a_start_that_nothing_disturbs) {
  script([](std::size_t) { return quiet(); });
  measure_quiet_starts(3);
  EXPECT_EQ(tries_, 3U);
}

TEST_F(Tries, go_on_until_one_is_undisturbed) {
  script([](std::size_t number) { return number == 10 ? disturbed(0.9) : quiet(); });
  measure_quiet_starts(10);
  EXPECT_FALSE(is_disturbed(start()));
  EXPECT_EQ(tries_, 12U);
}

TEST_F(Tries, end_after_three_and_the_least_disturbed_one_is_kept) {
  script([](std::size_t number) {
    constexpr double kForeign[] = {0.9, 0.4, 0.6};
    return number < 10 ? quiet() : disturbed(kForeign[number - 10]);
  });
  measure_quiet_starts(10);
  const Repeat kept = start();
  EXPECT_EQ(tries_, 13U);
  EXPECT_TRUE(is_disturbed(kept));
  EXPECT_EQ(taken_by_others(kept), 0.4);
}

TEST_F(Tries, end_if_another_might_exceed_the_time_limit_of_the_start) {
  script([](std::size_t number) { return number < 10 ? quiet() : disturbed(0.9); },
         std::chrono::seconds(25));
  measure_quiet_starts(10);
  static_cast<void>(start());
  EXPECT_EQ(tries_, 11U);
}

TEST_F(Tries, take_at_most_half_the_time_of_first_tries) {
  script([](std::size_t) { return disturbed(0.9); });
  for (int i = 0; i < 100; ++i) static_cast<void>(start());
  EXPECT_EQ(tries_, 150U);
}

TEST_F(Tries, keep_the_measured_one_if_an_extra_one_is_cancelled) {
  script([](std::size_t number) {
    if (number > 10) throw Cancelled();
    return number < 10 ? quiet() : disturbed(0.9);
  });
  measure_quiet_starts(10);
  EXPECT_TRUE(is_disturbed(start()));
}

TEST_F(Tries, that_were_paused_are_dropped) {
  hold_continue_signals();
  script([](std::size_t number) {
    if (number == 0) ::kill(::getpid(), SIGCONT);  // A shell's fg sends it.
    return Repeat{{{"samples_per_second", number == 0 ? 949.0 : 3385.0}}, {}};
  });
  EXPECT_EQ(*find_metric(start().metrics, "samples_per_second"), 3385.0);
  EXPECT_EQ(tries_, 2U);
}

TEST_F(Tries, that_were_all_paused_are_an_error) {
  hold_continue_signals();
  script([](std::size_t) {
    ::kill(::getpid(), SIGCONT);
    return quiet();
  });
  EXPECT_THAT(testing::message_of([&] { return start(); }), HasSubstr("paused"));
  EXPECT_EQ(tries_, 3U);
}

}  // namespace
}  // namespace feedrate
