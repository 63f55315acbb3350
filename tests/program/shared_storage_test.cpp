// SPDX-License-Identifier: Apache-2.0
// Datasets on shared storage: staging, and predictions for many nodes.
#include <csignal>

#include <nlohmann/json.hpp>

#include "analysis/report/csv.h"
#include "analysis/report/load_run.h"
#include "tests/program/workspace.h"

namespace feedrate::testing {
namespace {

class Staging : public Workspace {
 protected:
  void SetUp() override {
    make_images();
    std::filesystem::create_directory(path("local"));
  }
};

TEST_F(Staging, is_an_axis_whose_copy_is_made_once_and_goes_at_the_end) {
  write("s.yaml", sweep_config("path: ds, staging: [none, copy], staging_folder: local",
                               "batch_size: 4, num_workers: [0, 1]"));
  const Finished done = succeeds("sweep s.yaml --out results");
  EXPECT_THAT(done.err, HasSubstr("staged ds in local: "));
  EXPECT_THAT(done.out, AnyOf(HasSubstr("staging=copy: copying the dataset to this node first")));
  const RunResult run = load_run(path("results"));
  EXPECT_THAT(run.cells, SizeIs(4));
  for (const CellResult& cell : cells_with(run, "staging", "copy")) {
    EXPECT_EQ(cell.outcome, Outcome::kOk) << cell.reason;
    ASSERT_NE(find_metric(cell.metrics, "staging_time"), nullptr);
    EXPECT_GT(*find_metric(cell.metrics, "staging_time"), 0.0);
  }
  for (const CellResult& cell : cells_with(run, "staging", "none")) {
    EXPECT_EQ(find_metric(cell.metrics, "staging_time"), nullptr);
  }
  EXPECT_THAT(listing("local"), IsEmpty());
}

TEST_F(Staging, works_with_a_cold_cache) {
  write("s.yaml", sweep_config("path: ds, cache: cold, staging: [copy], staging_folder: local",
                               "batch_size: 1, num_workers: 0", "epochs: 0"));
  prepare("sweep s.yaml --out results");
  EXPECT_THAT(listing("local"), IsEmpty());
}

TEST_F(Staging, into_memory_has_no_cold_cache) {
  write("s.yaml", sweep_config("path: ds, cache: cold, staging: ram, staging_folder: local"));
  prepare("sweep s.yaml --out results");
  EXPECT_EQ(text_of(load_run(path("results")).cells.front().settings, "cache"), "as-is");
}

// The disk is full before everything is copied.
TEST_F(Staging, that_fails_fails_its_cells_and_no_others) {
  prepare("data make large.tar --preset imagenet-like --count 24");
  write("s.yaml", sweep_config("path: large.tar, staging: [none, copy], staging_folder: local") +
                      "pipeline: {transforms: [{random_resized_crop: 32}]}\n");
  ChildSetup full = setup();
  full.largest_file = 1'000'000;
  const Finished done = run_feedrate("sweep s.yaml --out results", full);
  EXPECT_EQ(done.exit_code, 1);
  const RunResult run = load_run(path("results"));
  const auto copied = cells_with(run, "staging", "copy");
  ASSERT_THAT(copied, SizeIs(1));
  EXPECT_EQ(copied[0].outcome, Outcome::kFailed);
  EXPECT_THAT(copied[0].reason, AllOf(HasSubstr("large.tar: cannot write"), HasSubstr("large")));
  EXPECT_EQ(cells_with(run, "staging", "none").front().outcome, Outcome::kOk);
  EXPECT_THAT(listing("local"), IsEmpty());
}

TEST_F(Staging, removes_its_copy_on_ctrl_c) {
  write("s.yaml",
        sweep_config("path: ds, staging: copy, staging_folder: local",
                     "batch_size: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], num_workers: [0, 1, 2, 3]"));
  FeedrateChild child("sweep s.yaml --out results --axis step_ms=25 --axis reference_batch=1",
                      setup());
  ASSERT_TRUE(child.wait_for_error_text("[1/40] "));
  EXPECT_THAT(listing("local"), SizeIs(1));
  child.send(SIGINT);
  EXPECT_EQ(child.wait().exit_code, 130);
  EXPECT_THAT(listing("local"), IsEmpty());
}

TEST_F(Staging, refuses_one_folder_for_two_kinds) {
  write("s.yaml", sweep_config("path: ds, staging: [copy, ram], staging_folder: local"));
  refuses("sweep s.yaml", {"dataset.staging_folder: is used for both copy and ram"});
}

class Evidence : public Workspace {};

// A start loads some epochs of 16 images in batches of 4.
TEST_F(Evidence, of_reads_is_a_part_of_the_results) {
  make_images();
  write("s.yaml", sweep_config("path: ds", "batch_size: 4, num_workers: [0, 2]"));
  prepare("sweep s.yaml --out results");
  for (const CellResult& cell : load_run(path("results")).cells) {
    EXPECT_GE(*find_metric(cell.metrics, "files_opened"), 16.0);
    EXPECT_GT(*find_metric(cell.metrics, "called_read_bytes"), 0.0);
    EXPECT_NE(find_metric(cell.metrics, "cached_after"), nullptr);
  }
}

class ManyNodes : public Workspace {
 protected:
  void SetUp() override {
    make_images();
    write("s.yaml", sweep_config("path: ds", "batch_size: 4, num_workers: [0, 1, 2]"));
    prepare("sweep s.yaml --out a");
  }
};

TEST_F(ManyNodes, of_8_ranks_saturate_a_slow_metadata_server) {
  EXPECT_THAT(
      succeeds("what-if a --ranks 8 --nodes 64 --storage-bandwidth 100GB/s --storage-latency 1ms "
               "--metadata-rate 5k/s --node-bandwidth 25GB/s")
          .out,
      AllOf(HasSubstr("8 ranks a node on up to 64 nodes, a shared storage of 100 GB/s"),
            HasSubstr("5,000 metadata operations/s"), HasSubstr("It saturates from "),
            HasSubstr("on metadata operations"), HasSubstr("packed into large files")));
}

TEST_F(ManyNodes, json_has_every_number_of_nodes) {
  const Finished done = succeeds(
      "what-if a --nodes 6 --storage-bandwidth 1MB/s --metadata-per-sample 0 --sample-bytes 10KB "
      "--format json");
  const auto document = nlohmann::json::parse(done.out);
  EXPECT_EQ(document.at("predicted"), true);
  EXPECT_EQ(document.at("cluster").at("storage_bandwidth"), 1e6);
  EXPECT_TRUE(document.at("cluster").at("node_bandwidth").is_null());
  const auto& situation = document.at("situations").at(0);
  EXPECT_EQ(situation.at("points").size(), 4U);  // 1, 2, 4, 6 nodes
  EXPECT_EQ(situation.at("points").at(3).at("samples_per_second"), 100.0);
  EXPECT_LE(situation.at("points").at(3).at("samples_per_second_at_least"), 100.0);
  EXPECT_EQ(situation.at("points").at(3).at("limit"), "storage bandwidth");
}

TEST_F(ManyNodes, invalid_quantities_are_refused) {
  refuses("what-if a --nodes 2 --storage-bandwidth fast", {"must be like 100GB/s"});
  refuses("what-if a --ranks 2");
  refuses("what-if a --nodes 2 --cached 50%");
}

}  // namespace
}  // namespace feedrate::testing
