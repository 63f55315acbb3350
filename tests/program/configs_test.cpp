// SPDX-License-Identifier: Apache-2.0
// Every configuration of configs/ begins with its question, can be planned, and runs; results of
// older versions can be read.
#include "analysis/report/load_run.h"
#include "tests/program/requires_torch.h"
#include "tests/program/workspace.h"
#include "tests/support/s3_server.h"

namespace feedrate::testing {
namespace {

// Names with their folder in configs/; configs/study belongs to studies/tune_study.
std::vector<std::string> configs() {
  std::vector<std::string> names;
  for (const std::string folder : {"", "mlperf/"}) {
    for (const auto& entry :
         std::filesystem::directory_iterator(FEEDRATE_SOURCE_DIR "/configs/" + folder)) {
      if (entry.path().extension() != ".yaml") continue;
      names.push_back(folder + entry.path().stem().string());
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

void replace_number(std::string& text, std::string_view key, std::string_view number) {
  const std::size_t at = text.find(key);
  if (at == std::string::npos) return;
  const std::size_t begin = at + key.size();
  text.replace(begin, text.find_first_not_of("0123456789", begin) - begin, number);
}

void make_small(std::string& text) {
  ASSERT_NE(text.find("count: "), std::string::npos);
  replace_number(text, "count: ", "8");
  replace_number(text, "record_bytes: ", "50000");
  replace_number(text, "record_bytes_stdev: ", "9000");
}

// A threshold gives a verdict to every cell with an au.
void expect_verdicts(const RunResult& run, bool wanted) {
  for (const CellResult& cell : run.cells) {
    const bool has_au = find_metric(cell.metrics, "au") != nullptr;
    EXPECT_EQ(find_metric(cell.metrics, "au_verdict") != nullptr, has_au && wanted);
  }
}

class Config : public Workspace, public ::testing::WithParamInterface<std::string> {
 protected:
  void SetUp() override {
    text_ =
        read_file(std::filesystem::path(FEEDRATE_SOURCE_DIR) / "configs" / (GetParam() + ".yaml"));
    if (text_.find("path: s3://photos/train.tar") == std::string::npos) return;
    std::filesystem::create_directories(path("served/photos"));
    prepare("data make served/photos/train.tar --count 16 --size 32");
    server_.emplace(path("served"), server_keys());
    environment_.emplace(server_->url());
  }
  // `engine: auto` differs from machine to machine
  [[nodiscard]] std::string native_unless_named() const {
    const bool is_named =
        text_.find("\nengine:") != std::string::npos || text_.find("torch:") != std::string::npos;
    return is_named ? "" : " --axis engine=native";
  }

  std::string text_;
  std::optional<S3Server> server_;
  std::optional<S3Environment> environment_;
};

TEST_P(Config, begins_with_its_question) {
  EXPECT_THAT(text_.substr(0, text_.find('\n')), MatchesRegex("# [A-Z].*\\?"));
}

TEST_P(Config, can_be_planned) {
  write("c.yaml", text_);
  write("own_dataset.py", read_file(FEEDRATE_SOURCE_DIR "/configs/own_dataset.py"));
  write("own_step.py", read_file(FEEDRATE_SOURCE_DIR "/configs/own_step.py"));
  write("av.py", "");  // replaces the package of video.yaml, which may be missing
  const bool has_own_step = text_.find("trainer: {torch:") != std::string::npos;
  const Finished done = feedrate(std::string("plan c.yaml --no-probe --device ") +
                                 (has_own_step ? "cpu" : "sim:a100-pcie4") + native_unless_named());
  REQUIRE_TORCH_EXIT(done, 0);
  EXPECT_THAT(done.out, HasSubstr("cells to measure"));
}

TEST_P(Config, runs_on_the_simulated_device) {
  // OwnDataset.the_example_that_comes_with_feedrate_runs covers these
  if (text_.find("torch:") != std::string::npos) return;
  std::string small = text_;
  if (!server_) make_small(small);
  write("c.yaml", small);
  // so few records are read repeatedly and would not stay cold
  const bool is_cold = text_.find("cache: cold") != std::string::npos;
  const Finished done = feedrate(
      std::string("sweep c.yaml --out results --device sim:a100-pcie4 --steps 2 --repeats 1 "
                  "--axis batch_size=4 --axis step_ms=1 --axis num_workers=0,1") +
      native_unless_named() + (is_cold ? " --axis cache=as-is" : ""));
  REQUIRE_TORCH_EXIT(done, 0);
  const RunResult run = load_run(path("results"));
  for (const CellResult& cell : run.cells) {
    EXPECT_TRUE(cell.outcome == Outcome::kOk || cell.outcome == Outcome::kSkipped) << cell.reason;
  }
  expect_verdicts(run, text_.find("au_threshold") != std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Configs, Config, ::testing::ValuesIn(configs()), [](const auto& tested) {
  std::string name = tested.param;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return std::isalnum(c) == 0; }, '_');
  return name;
});

class OldResults : public Workspace, public ::testing::WithParamInterface<std::string> {};

std::vector<std::string> folders_with_results() {
  std::vector<std::string> folders;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(FEEDRATE_SOURCE_DIR "/results")) {
    if (entry.path().filename() == "cells.csv") folders.push_back(entry.path().parent_path());
  }
  std::sort(folders.begin(), folders.end());
  return folders;
}

TEST_P(OldResults, are_shown) {
  const RunResult run = load_run(GetParam());
  EXPECT_FALSE(run.cells.empty());
  prepare("report " + GetParam() + " --out page.html");
  EXPECT_TRUE(exists("page.html"));
}

INSTANTIATE_TEST_SUITE_P(Results, OldResults, ::testing::ValuesIn(folders_with_results()));

}  // namespace
}  // namespace feedrate::testing
