// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>

#include <fmt/format.h>

#include "analysis/report/load_run.h"
#include "tests/program/workspace.h"
#include "tests/support/fake_python.h"

namespace feedrate::testing {
namespace {

// Each sample takes 5 ms without workers.
constexpr const char* kProfile =
    "machine: m\nversions: torch 2\ndataset: ds\n"
    "microseconds: {inline_sample: 5000, worker_sample: 0, dispatch: 0, worker_start: 0, "
    "first_task: 0, worker_exit: 0, worker_stop: 0, resume: 0}\n"
    "by_size:\n"
    "  inline_batch: {us: 0, ns_per_byte: 0}\n  worker_batch: {us: 0, ns_per_byte: 0}\n"
    "  receive: {us: 0, ns_per_byte: 0}\n  pin: {us: 0, ns_per_byte: 0}\n";

class Emulate : public Workspace {
 protected:
  Finished sweep(const char* emulate) {
    make_images();
    write("s.yaml",
          without_engine(sweep_config("path: ds", "batch_size: 4")) + "emulate: " + emulate + "\n");
    return feedrate("sweep s.yaml --out results");
  }
};

TEST_F(Emulate, adds_the_costs_of_a_profile) {
  write("p.yaml", kProfile);
  const Finished done = sweep("p.yaml");
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const RunResult run = load_run(path("results"));
  EXPECT_GE(*find_metric(run.cells.at(0).metrics, "loading_time"), 4 * 0.005);
}

TEST_F(Emulate, names_the_dataset_of_a_profile) {
  std::string other = kProfile;
  other.replace(other.find("dataset: ds"), 11, "dataset: other");
  write("p.yaml", other);
  const Finished done = sweep("p.yaml");
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("p.yaml holds the costs of the samples of other, not of ds"));
}

TEST_F(Emulate, a_missing_or_damaged_profile_ends_before_anything_is_measured) {
  const Finished missing = sweep("none.yaml");
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_THAT(missing.err, AllOf(HasSubstr("none.yaml"), HasSubstr("feedrate calibrate")));
  EXPECT_FALSE(exists("results"));
  write("none.yaml", "machine: m\n");
  refuses("sweep s.yaml --out results", {"none.yaml", "versions"});
}

TEST_F(Emulate, calibrate_names_what_it_cannot_do) {
  write("s.yaml", "dataset: {torch: \"a:b\"}\n");
  refuses("calibrate s.yaml", {"s.yaml", "dataset.torch"});
  EXPECT_EQ(feedrate("calibrate --torch --out no/such/folder/p.yaml").exit_code, 1);
}

using Calibrate = Workspace;

TEST_F(Calibrate, replaces_no_file_without_force) {
  const std::string device = "calibrate --device sim:v100-pcie3 --repeats 1 --out mine.yaml";
  for (const std::string& command : {device, std::string("calibrate --torch --out mine.yaml")}) {
    write("mine.yaml", "dear: to me\n");
    refuses(command, {"mine.yaml: ", "--force"});
    EXPECT_EQ(read("mine.yaml"), "dear: to me\n");
  }
  prepare(device + " --force");
  EXPECT_THAT(read("mine.yaml"), HasSubstr("h2d_gb_per_s: "));
  write("mine.yaml", "");
  prepare(device);
}

TEST_F(Calibrate, writes_a_preset_of_a_device_that_a_sweep_takes) {
  EXPECT_THAT(succeeds("calibrate --device sim:v100-pcie3 --repeats 1 --out mine.yaml").out,
              AllOf(HasSubstr("h2d_gb_per_s: "), HasSubstr("queued after a 20 ms kernel"),
                    HasSubstr("Written: mine.yaml")));
  make_images();
  write("s.yaml", without_engine(sweep_config("path: ds", "batch_size: 4")));
  EXPECT_THAT(succeeds("sweep s.yaml --device sim:mine.yaml --out results").out,
              HasSubstr("simulated device: sim:mine.yaml"));
}

TEST_F(Calibrate, writes_what_a_step_of_matrix_products_takes) {
  prepare("calibrate --device sim:v100-pcie3 --repeats 1 --out mine.yaml");
  make_images();
  std::string config = without_engine(sweep_config("path: ds", "batch_size: 4"));
  const std::string burn = "kind: burn, step_ms: 1";
  config.replace(config.find(burn), burn.size(),
                 "kind: gemm, shapes: [256x256x256], precision: [fp16, bf16]");
  write("s.yaml", config);
  prepare("sweep s.yaml --device sim:mine.yaml --out results");
  const RunResult run = load_run(path("results"));
  EXPECT_EQ(cells_with(run, "precision", "fp16").at(0).outcome, Outcome::kOk);
  EXPECT_EQ(cells_with(run, "precision", "bf16").at(0).outcome, Outcome::kSkipped);
}

TEST_F(Calibrate, names_a_preset_that_is_not_there) {
  make_images();
  write("s.yaml", without_engine(sweep_config("path: ds", "batch_size: 4")));
  refuses("sweep s.yaml --device sim:none.yaml --out results", {"none.yaml", "feedrate calibrate"});
}

}  // namespace
}  // namespace feedrate::testing
