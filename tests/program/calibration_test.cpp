// SPDX-License-Identifier: Apache-2.0
// Calibrations on a quiet machine: feedrate refuses costs that other programs distort.
#include <chrono>
#include <optional>
#include <sstream>
#include <string>

#include "analysis/report/load_run.h"
#include "bench/calibrate_torch.h"
#include "bench/engines/torch/runtime.h"
#include "core/error.h"
#include "tests/program/busy_cpus.h"
#include "tests/program/cost_profiles.h"
#include "tests/program/requires_torch.h"
#include "tests/program/workspace.h"
#include "tests/support/quiet_machine.h"

namespace feedrate::testing {
namespace {

using Calibration = Workspace;

std::optional<TorchRuntime> torch_here() {
  try {
    return find_torch({}, std::chrono::minutes(2), {});
  } catch (const ConfigError&) {
    return std::nullopt;
  }
}

TEST_F(Calibration, can_be_used_by_its_sweep) {
  make_images();
  write("s.yaml", without_engine(sweep_config("path: ds", "batch_size: 4, num_workers: [0, 1]")) +
                      "emulate: p.yaml\n");
  // A disturbed calibration is refused and writes nothing; retry it.
  constexpr int kTries = 3;
  constexpr const char* kDisturbed = "other programs used";
  Finished done;
  for (int i = 0; i < kTries; ++i) {
    REQUIRE_QUIET_MACHINE();
    done = feedrate("calibrate s.yaml --torch --repeats 1 --out p.yaml");
    REQUIRE_TORCH(has_torch(done));
    if (done.exit_code == 0) break;
    ASSERT_EQ(done.exit_code, 1) << done.err;
    ASSERT_THAT(done.err, AnyOf(HasSubstr("did not settle"), HasSubstr(kDisturbed)));
    ASSERT_FALSE(exists("p.yaml"));
  }
  if (done.exit_code != 0 && done.err.find(kDisturbed) != std::string::npos) {
    GTEST_SKIP() << "needs a quiet machine: " << done.err;
  }
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.out, AllOf(HasSubstr("worker_start:"), HasSubstr("Written: p.yaml")));
  prepare("sweep s.yaml --out results");
}

// A steady load distorts all repeats alike: the intervals stay narrow.
TEST_F(Calibration, with_other_programs_running_is_refused) {
  make_images();
  write("s.yaml", sweep_config("path: ds"));
  const BusyCpus others;
  const Finished done = feedrate("calibrate s.yaml --torch --repeats 1 --out p.yaml");
  REQUIRE_TORCH_EXIT(done, 1);
  EXPECT_THAT(done.err, AllOf(HasSubstr("other programs used"), HasSubstr("stop or wait")));
  EXPECT_FALSE(exists("p.yaml"));
}

TEST_F(Calibration, of_a_tune_with_other_programs_running_lets_pytorch_explore) {
  write("t.yaml", without_engine(sweep_config(
                      "path: ds, make: {preset: cifar10-like, count: 64}",
                      "batch_size: 4, num_workers: [0, 1, 2, 3], prefetch_factor: [1, 2, "
                      "3, 4], pin_memory: [false, true]")));
  const BusyCpus others;
  const Finished done =
      run_feedrate("tune t.yaml --budget 10s --out results", with_cache(setup(), path("cache")));
  REQUIRE_TORCH(has_torch(done));
  EXPECT_THAT(done.err, AllOf(HasSubstr("other programs used"), HasSubstr("Nothing is emulated")));
  EXPECT_TRUE(cells_with(load_run(path("results")), "engine", "native").empty());
  EXPECT_FALSE(exists("cache"));
}

// The loader's own costs do not depend on the samples: for another pipeline only the samples are
// measured.
TEST_F(Calibration, of_another_pipeline_measures_its_samples_alone) {
  const std::optional<TorchRuntime> torch = torch_here();
  REQUIRE_TORCH(torch);
  std::filesystem::create_directories(path("cache/feedrate"));
  write("cache/feedrate/cost-profile-of-another.yaml",
        some_profile(calibrated_machine(), torch->versions));
  write("t.yaml", without_engine(sweep_config(
                      "path: ds, make: {preset: cifar10-like, count: 64}",
                      "batch_size: 4, num_workers: [0, 1, 2, 3], prefetch_factor: [1, 2, "
                      "3, 4], pin_memory: [false, true]")));
  const Finished done =
      run_feedrate("tune t.yaml --budget 10s --out results", with_cache(setup(), path("cache")));
  EXPECT_THAT(done.err, HasSubstr("[calibrate] repeat 1 of 3: samples of ds"));
  std::istringstream lines(done.err);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("[calibrate]")) continue;
    EXPECT_THAT(line, HasSubstr(": samples of ds"));
  }
}

}  // namespace
}  // namespace feedrate::testing
