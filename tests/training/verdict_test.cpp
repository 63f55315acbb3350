// SPDX-License-Identifier: Apache-2.0
#include "training/verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/training/made_script.h"

namespace feedrate::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StrEq;

LoaderVerdict verdict_on(double loading, double training) {
  MadeScript script(made_loader());
  script.steps(30, loading, training);
  return *judge(*script.watch.main_loader());
}

TEST(LoaderVerdict, is_input_bound_above_a_tenth_of_a_step_and_gpu_bound_up_to_a_fiftieth) {
  EXPECT_THAT(bound_name(verdict_on(11.0, 89.0)), StrEq("INPUT-BOUND"));
  EXPECT_THAT(bound_name(verdict_on(9.0, 91.0)), StrEq("BALANCED"));
  EXPECT_THAT(bound_name(verdict_on(3.0, 97.0)), StrEq("BALANCED"));
  EXPECT_THAT(bound_name(verdict_on(1.0, 99.0)), StrEq("GPU-BOUND"));
}

TEST(LoaderVerdict, most_to_win_is_a_loader_without_cost) {
  EXPECT_NEAR(verdict_on(30.0, 30.0).most_to_win(), 2.0, 1e-9);
}

// The host has run ahead: its clock shows no waiting, the GPU's events do.
TEST(LoaderVerdict, believes_the_gpu_where_it_was_timed) {
  MadeScript script(made_loader());
  script.steps(30, 0.1, 50.0);
  ScriptSpans spans;
  for (std::size_t step = 0; step < 30; ++step) {
    spans.push_back({kLoader, 0, step, from_seconds(0.020), from_seconds(0.030)});
  }
  script.watch.add(kConnection, spans);
  const LoaderVerdict verdict = *judge(*script.watch.main_loader());
  ASSERT_TRUE(verdict.gpu_idle);
  EXPECT_NEAR(*verdict.gpu_idle, 0.4, 1e-9);
  EXPECT_THAT(bound_name(verdict), StrEq("INPUT-BOUND"));
}

TEST(LoaderVerdict, names_cpu_work_and_waiting_of_workers_apart) {
  for (const bool computes : {true, false}) {
    MadeScript script(made_loader(2));
    script.steps(30, 30.0, 30.0);
    script.watch.add(kConnection, ScriptFetches{{kLoader, 0, from_seconds(0.1),
                                                 from_seconds(computes ? 0.09 : 0.01)}});
    const WatchedLoader& main = *script.watch.main_loader();
    EXPECT_THAT(verdict_text(main, *judge(main)),
                HasSubstr(computes ? "the workers' CPU time" : "the workers wait"));
  }
}

TEST(LoaderVerdict, names_a_cpu_among_what_workers_wait_for_where_they_outnumber_them) {
  WatchedLoader watched;
  watched.fetch_wall = 1.0;
  watched.fetch_cpu = 0.1;
  watched.process.cpus = 4;
  watched.loader = made_loader(3);
  EXPECT_EQ(cause_text(watched), "the workers wait, for storage or locks");
  watched.loader = made_loader(4);
  EXPECT_EQ(cause_text(watched), "the workers wait, for storage, locks or a CPU");
}

TEST(LoaderVerdict, too_few_steps_have_none) {
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
