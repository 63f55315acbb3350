// SPDX-License-Identifier: Apache-2.0
#include "training/wait_verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/training/made_script.h"

namespace feedrate::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StrEq;

WaitVerdict verdict_on(double loading, double training) {
  MadeScript script(made_loader());
  script.steps(30, loading, training);
  return *judge(*script.watch.main_loader());
}

TEST(WaitVerdict, most_to_win_is_a_loader_without_cost) {
  EXPECT_NEAR(verdict_on(30.0, 30.0).most_to_win(), 2.0, 1e-9);
}

// The host runs ahead: its clock shows no waiting, but the GPU's events do.
TEST(WaitVerdict, takes_the_idle_time_of_a_timed_gpu) {
  MadeScript script(made_loader());
  script.steps(30, 0.1, 50.0);
  ScriptSpans spans;
  for (std::size_t step = 0; step < 30; ++step) {
    spans.push_back({kLoader, 0, step, from_seconds(0.020), from_seconds(0.030)});
  }
  script.watch.add(kConnection, spans);
  const WaitVerdict verdict = *judge(*script.watch.main_loader());
  ASSERT_TRUE(verdict.gpu_idle);
  EXPECT_NEAR(*verdict.gpu_idle, 0.4, 1e-9);
  EXPECT_THAT(to_string(bound_of(verdict)), StrEq("INPUT-BOUND"));
}

TEST(WaitVerdict, distinguishes_computing_from_waiting_workers) {
  for (const bool computes : {true, false}) {
    MadeScript script(made_loader(2));
    script.steps(30, 30.0, 30.0);
    script.watch.add(kConnection, ScriptFetches{{kLoader, 0, from_seconds(0.1),
                                                 from_seconds(computes ? 0.09 : 0.01)}});
    const WatchedLoader& main = *script.watch.main_loader();
    EXPECT_THAT(verdict_text(main, *judge(main)),
                HasSubstr(computes ? "the workers compute" : "the workers wait (for storage,"));
    EXPECT_EQ(bottleneck_name(main, *judge(main)), computes ? "decode CPU" : "");
  }
}

TEST(WaitVerdict, has_the_observed_cause) {
  MadeScript script(made_loader(2));
  script.steps(30, 30.0, 30.0);
  script.watch.add(kConnection, ScriptFetches{{kLoader, 0, from_seconds(0.1), from_seconds(0.01)}});
  script.watch.add(kConnection, LoaderEvidence{kLoader, {2.0, 0.4, 0.0, 280'000'000, 190}});
  const WatchedLoader& main = *script.watch.main_loader();
  EXPECT_EQ(bottleneck_name(main, *judge(main)), "storage");
  EXPECT_THAT(verdict_text(main, *judge(main)),
              HasSubstr("the workers read storage (140 MB/s, 95.0 major faults/s)"));
}

TEST(WaitVerdict, of_a_loader_begun_at_each_step_advises_to_keep_its_iterator) {
  WatchedLoader watched;
  watched.loader = made_loader(2);
  watched.batches = 3;
  watched.first_batches.epochs = 3;
  WaitVerdict verdict = verdict_on(30.0, 10.0);
  EXPECT_THAT(verdict_text(watched, verdict), Not(HasSubstr("begun at each step")));
  verdict.has_first_batches = true;
  EXPECT_THAT(verdict_text(watched, verdict),
              HasSubstr("the loader is begun at each step: keep its iterator"));
}

TEST(WaitVerdict, of_batches_that_a_thread_takes_is_unknown) {
  WatchedLoader watched;
  WaitVerdict verdict = verdict_on(30.0, 0.01);
  verdict.is_taken_by_a_thread = true;
  EXPECT_EQ(verdict_text(watched, verdict),
            "its batches are taken by another thread: what the training waits for is not seen");
}

TEST(WaitVerdict, has_the_extent_of_a_step) {
  WatchedLoader first, second;
  first.loader = second.loader = made_loader();
  second.loader.site = "/home/me/train.py:43";
  WaitVerdict verdict = verdict_on(12.1, 10.0);
  EXPECT_THAT(scope_lines(verdict), IsEmpty());
  verdict.batches_per_step = 4;
  EXPECT_THAT(times_text(first, verdict), HasSubstr("training 10.0 ms, 4 batches a step"));
  verdict.parts = {{&first, 0.0091}, {&second, 0.003}};
  verdict.has_first_batches = true;
  verdict.paused = 2.1;
  EXPECT_THAT(
      scope_lines(verdict),
      ElementsAre("2 loaders give to each step: train.py:42 9.10 ms, train.py:43 3.00 ms",
                  "the first batches of epochs are part of these times",
                  "2.10 s of pauses (validation, checkpoints, other loops) are not counted"));
  second.loader.site = first.loader.site;
  second.loader.dataset = "Texts";
  EXPECT_THAT(scope_lines(verdict).front(),
              HasSubstr("train.py:42 ImageFolder 9.10 ms, train.py:42 Texts 3.00 ms"));
}

TEST(WaitVerdict, does_not_exist_for_too_few_steps) {
  MadeScript script(made_loader());
  script.steps(4, 10.0, 10.0);
  EXPECT_FALSE(judge(script.watch.loaders().front()));
}

TEST(LoaderText, is_the_call_and_its_line) {
  EXPECT_EQ(loader_text(made_loader(2)),
            "train.py:42 DataLoader(ImageFolder, batch_size=8, num_workers=2)");
}

}  // namespace
}  // namespace feedrate::testing
