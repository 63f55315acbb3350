// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "analysis/report/load_run.h"
#include "core/host/storage.h"
#include "tests/program/workspace.h"

namespace feedrate::testing {
namespace {

class WhatIf : public Workspace {
 protected:
  void SetUp() override {
    make_images();
    write("s.yaml", sweep_config("path: ds", "batch_size: 4, num_workers: [0, 1, 2]"));
    prepare("sweep s.yaml --out a");
  }
};

TEST_F(WhatIf, answers_the_usual_questions) {
  const Finished done = succeeds("what-if a");
  EXPECT_THAT(done.out,
              AllOf(HasSubstr("Predicted, not measured"), HasSubstr("unchanged"),
                    HasSubstr("a GPU twice as fast"), HasSubstr("simulated device: sim:a100-pcie4"),
                    HasSubstr("Model error on 3 held-out cells"), Not(HasSubstr("cached"))));
  EXPECT_EQ(done.err, "");
}

TEST_F(WhatIf, answers_one_question_cell_by_cell) {
  EXPECT_THAT(succeeds("what-if a --gpu-speed 4 --cores 2").out,
              AllOf(HasSubstr("num_workers=0"), HasSubstr("num_workers=2"),
                    HasSubstr("Best today: "), HasSubstr("Best then: "),
                    HasSubstr("With a GPU 4 times as fast and 2 cores instead of ")));
}

TEST_F(WhatIf, json_has_every_cell) {
  const Finished done = succeeds("what-if a --gpu-speed 2 --json");
  const auto document = nlohmann::json::parse(done.out);
  EXPECT_EQ(document.at("predicted"), true);
  EXPECT_EQ(document.at("simulated"), true);
  const auto& answer = document.at("situations").at(0).at("answers").at(0);
  EXPECT_EQ(answer.at("forecasts").size(), 3U);
  EXPECT_EQ(answer.at("world").at("gpu_speed"), 2.0);
  EXPECT_GT(answer.at("best_then").at("samples_per_second_then"), 0.0);
}

TEST_F(WhatIf, a_csv_does_not_know_the_cores_of_its_machine) {
  EXPECT_THAT(feedrate("what-if a/cells.csv").err,
              HasSubstr("a/cells.csv: the number of CPUs of its machine is unknown"));
  const Finished done = succeeds("what-if a/cells.csv --recorded-cores 2");
  EXPECT_EQ(done.err, "");
}

TEST_F(WhatIf, a_share_of_cached_data_needs_cells_of_both_kinds) {
  refuses("what-if a --cached 50%",
          {"a: has no pair of cells with cache=warm and cache=cold", "--axis cache=warm,cold"});
}

TEST_F(WhatIf, predicts_cached_data_if_both_kinds_were_measured) {
  if (read_storage_info(path(".")).file_system == "tmpfs") {
    GTEST_SKIP() << "tmpfs keeps its files in memory: " << path(".");
  }
  write("c.yaml", sweep_config("path: more, make: {preset: cifar10-like, count: 300}, "
                               "cache: [warm, cold]"));
  prepare("sweep c.yaml --out c");
  const RunResult run = load_run(path("c"));
  for (const CellResult& cell : run.cells) {
    EXPECT_NE(find_metric(cell.metrics, "fetch_stall"), nullptr);
  }
  EXPECT_THAT(feedrate("what-if c").out,
              AllOf(HasSubstr("cache=cold:"), HasSubstr("cache=warm:"),
                    HasSubstr("50 % of the data cached"), HasSubstr("100 % of the data cached")));
  EXPECT_THAT(feedrate("what-if c --cached 50%").out,
              HasSubstr("With 50 % of the data cached this run would "));
}

TEST_F(WhatIf, takes_a_table_of_another_program) {
  write("course.csv", "workers,what,seconds\n0,,30\n1,,22\n2,,12\n4,,10\n0,cached,10\n");
  const std::string line =
      "what-if course.csv --recorded-cores 8 --gpu-speed 2 --given batch_size=100,samples=10000 "
      "--columns workers=num_workers,what=loader,seconds=epoch_time";
  const Finished done = succeeds(line);
  EXPECT_THAT(done.out, AllOf(HasSubstr("num_workers=4"), HasSubstr("Best then: ")));
  EXPECT_THAT(done.err, HasSubstr("course.csv: has no row of the loading alone (trainer=discard)"));
  EXPECT_THAT(feedrate("what-if course.csv").err, HasSubstr("--columns"));
}

TEST_F(WhatIf, takes_a_table_of_the_loader_alone) {
  write("loader.csv", "workers,rate\n1,100\n2,200\n4,400\n");
  const std::string line =
      "what-if loader.csv --recorded-cores 8 --given batch_size=32,trainer=discard "
      "--columns workers=num_workers,rate=samples_per_second";
  const Finished done = succeeds(line);
  EXPECT_THAT(done.out, AllOf(HasSubstr("rates of the loader alone"), HasSubstr("decode CPU"),
                              Not(HasSubstr("GPU"))));
  EXPECT_EQ(done.err, "");
  refuses(line + " --gpu-speed 2", {"has no row with a training, which --gpu-speed needs"});
}

TEST_F(WhatIf, refuses_impossible_questions) {
  refuses("what-if a --gpu-speed 0");
  refuses("what-if a --cores 0");
  refuses("what-if a --cached 150%");
  refuses("what-if a --format xml");
  EXPECT_THAT(feedrate("what-if nothing").err, HasSubstr("nothing: does not exist"));
}

TEST_F(WhatIf, needs_a_cell_that_was_measured) {
  prepare("sweep s.yaml --axis loader=cached --out mocks");
  refuses("what-if mocks", {"mocks: has no measured cell with a loader"});
}

}  // namespace
}  // namespace feedrate::testing
