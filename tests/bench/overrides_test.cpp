// SPDX-License-Identifier: Apache-2.0
#include "bench/overrides.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/error_of.h"

namespace feedrate {
namespace {

using testing::error_of;
using ::testing::HasSubstr;

RunResult begun_run() {
  RunResult run;
  run.config_name = "s";
  run.config_text =
      "dataset: {path: x}\ndevice: {name: 'sim:h200'}\nloader: {num_workers: [0, 1]}\n"
      "measure: {steps: 8, repeats: 2}\n";
  return run;
}

TEST(Overrides, come_back_from_their_texts) {
  const SweepOverrides overrides{.axes = {"num_workers=0,1", "format=tar"},
                                 .only = {"batch_size=2"},
                                 .device = "cuda:1",
                                 .steps = 8,
                                 .engine = "torch",
                                 .repeats = "auto",
                                 .tolerance = 0.05,
                                 .cell_timeout = 90.0,
                                 .seed = 42,
                                 .no_limits = true,
                                 .sort = "loading_time",
                                 .shard = SweepShard{2, 4}};
  const std::vector<std::string> texts = {"--axis=num_workers=0,1",
                                          "--axis=format=tar",
                                          "--only=batch_size=2",
                                          "--device=cuda:1",
                                          "--engine=torch",
                                          "--steps=8",
                                          "--repeats=auto",
                                          "--tolerance=0.05",
                                          "--cell-timeout=90",
                                          "--seed=42",
                                          "--no-limits",
                                          "--sort=loading_time",
                                          "--shard=2/4"};
  EXPECT_EQ(to_texts(overrides), texts);
  EXPECT_EQ(to_texts(overrides_from_texts(texts)), texts);
}

TEST(Overrides, refuse_a_text_that_is_none) {
  EXPECT_THAT(error_of([] { return overrides_from_texts({"--steps=many"}); }),
              HasSubstr("--steps=many: must be a whole number"));
  EXPECT_THAT(error_of([] { return overrides_from_texts({"--out"}); }),
              HasSubstr("--out: not an option that a run saves"));
}

TEST(Overrides, of_a_resumed_run_are_its_own) {
  RunResult run = begun_run();
  run.overrides = {"--axis=num_workers=0,4", "--repeats=5"};
  const SweepOverrides overrides = resumed_overrides({}, run);
  EXPECT_EQ(to_texts(overrides), run.overrides);
}

// The run began with engine: auto, which chose torch; another axis must not change it.
TEST(Overrides, of_a_resumed_run_keep_its_engine) {
  RunResult run = begun_run();
  run.overrides = {"--engine=torch"};
  SweepOverrides given;
  given.axes = {"num_workers=0,4"};
  const SweepOverrides overrides = resumed_overrides(given, run);
  EXPECT_EQ(overrides.engine, "torch");
  const SweepConfig config = load_stored_sweep(run, overrides);
  EXPECT_TRUE(config.set.contains("engine"));
}

TEST(Overrides, of_a_resumed_run_count_the_added_repeats) {
  SweepOverrides given;
  given.repeats = "+3";
  EXPECT_EQ(resumed_overrides(given, begun_run()).repeats, "5");
}

TEST(Overrides, of_a_resumed_run_may_not_change_how_it_measures) {
  SweepOverrides given;
  given.steps = 99;
  EXPECT_EQ(error_of([&] { return resumed_overrides(given, begun_run()); }),
            "--steps 99: the run was started with 8; start a new run with --out");
}

}  // namespace
}  // namespace feedrate
