// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/json.h"

#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>

#include <gtest/gtest.h>

#include "core/error.h"
#include "tests/analysis/report/sample_run.h"
#include "tests/support/golden.h"

namespace feedrate {
namespace {

std::string json_of(const RunResult& run) {
  std::ostringstream out;
  write_run_json(out, run);
  return out.str();
}

std::filesystem::path write_json(const std::string& content) {
  const std::filesystem::path path = fresh_folder() / "run.json";
  std::ofstream(path, std::ios::binary) << content;
  return path;
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), with);
}

void expect_damaged_json(const std::string& content, const std::string& message) {
  const std::filesystem::path path = write_json(content);
  try {
    static_cast<void>(read_run_json(path));
    FAIL() << "was taken for sound";
  } catch (const FormatError& error) {
    EXPECT_EQ(error.what(), path.string() + message);
  }
}

TEST(RunJson, is_as_committed) {
  expect_golden(json_of(sample_run()), "tests/golden/report/run.json");
}

TEST(RunJson, comes_back_whole) {
  const std::string text = json_of(sample_run());
  EXPECT_EQ(json_of(read_run_json(write_json(text))), text);
}

TEST(RunJson, keeps_the_device_step_of_a_start) {
  RunResult run = sample_run();
  run.cells[0].repeats.at(1).device_step = "burn, compiled by NVRTC";
  const RunResult back = read_run_json(write_json(json_of(run)));
  EXPECT_EQ(back.cells[0].repeats.at(0).device_step, "");
  EXPECT_EQ(back.cells[0].repeats.at(1).device_step, "burn, compiled by NVRTC");
}

TEST(RunJson, brings_back_what_the_csv_does_not_hold) {
  const RunResult back = read_run_json(write_json(json_of(sample_run())));
  EXPECT_EQ(back.config_text, sample_run().config_text);
  EXPECT_EQ(back.environment.facts[1].value, "Some CPU | 3 GHz");
  EXPECT_EQ(back.environment.warnings, sample_run().environment.warnings);
  EXPECT_EQ(back.cells[0].settings, sample_run().cells[0].settings);
  EXPECT_EQ(back.cells[0].repeats.at(1).series, sample_run().cells[0].repeats.at(1).series);
}

TEST(RunJson, reads_a_file_from_before_overrides_were_kept) {
  RunResult run = sample_run();
  run.overrides.clear();
  const std::string text = replaced(json_of(run), "  \"overrides\": [],\n", "");
  EXPECT_TRUE(read_run_json(write_json(text)).overrides.empty());
}

TEST(RunJson, reads_a_file_from_before_named_settings_were_kept) {
  RunResult run = sample_run();
  run.set.clear();
  const std::string text = replaced(json_of(run), "  \"set\": [],\n", "");
  EXPECT_TRUE(read_run_json(write_json(text)).set.empty());
}

TEST(RunJson, brings_back_how_a_watched_training_went) {
  const std::string text = json_of(watched_run());
  expect_golden(text, "tests/golden/report/watched_run.json");
  const RunResult back = read_run_json(write_json(text));
  EXPECT_EQ(json_of(back), text);
  ASSERT_TRUE(back.history);
  EXPECT_EQ(back.history->verdict, watched_run().history->verdict);
  ASSERT_EQ(back.history->loaders.size(), 2U);
  const LoaderHistory& loader = back.history->loaders.front();
  EXPECT_EQ(loader.points.at(2).times.training, 0.05);
  EXPECT_EQ(loader.points.at(1).times.gpu_idle, std::nullopt);
  EXPECT_EQ(loader.segments.at(1).use, SegmentUse::kTrial);
  EXPECT_EQ(loader.segments.at(1).settings, back.cells.at(1).settings);
  EXPECT_EQ(loader.segments.at(1).problem, "killed");
  EXPECT_EQ(loader.epochs.at(1).first_batch, 0.25);
  EXPECT_FALSE(back.history->loaders.back().segments.front().times);
}

TEST(RunJson, reads_the_names_of_older_files) {
  const std::string text = json_of(watched_run());
  const std::string old =
      replaced(replaced(text, "\"history\": {", "\"course\": {"), "\"warnings\"", "\"doubts\"");
  ASSERT_NE(old.find("\"doubts\""), std::string::npos);
  EXPECT_EQ(json_of(read_run_json(write_json(old))), text);
}

TEST(RunJson, of_anything_else_has_no_history) {
  const std::string text = json_of(sample_run());
  EXPECT_EQ(text.find("\"history\""), std::string::npos) << "as in files from before it was kept";
  EXPECT_FALSE(read_run_json(write_json(text)).history);
}

TEST(RunJson, names_the_location_of_damage_in_the_history) {
  const std::string text = json_of(watched_run());
  expect_damaged_json(replaced(text, "\"use\":\"trial\"", "\"use\":\"try\""),
                      ": $.history.loaders[0].segments[1].use: must be own, trial or kept");
  expect_damaged_json(replaced(text, "\"steps\":100", "\"steps\":-1"),
                      ": $.history.loaders[0].segments[0].steps: is -1; must be a whole number");
  RunResult run = watched_run();
  run.history->loaders.back().points.clear();
  expect_damaged_json(json_of(run), ": $.history.loaders[1]: has no segment or no point");
  for (const char* const name : {"\"verdict\"", "\"loaders\"", "\"epochs\"", "\"gpu_idle\""}) {
    const std::filesystem::path path = write_json(replaced(text, name, "\"else\""));
    EXPECT_THROW(static_cast<void>(read_run_json(path)), FormatError) << name;
  }
}

TEST(RunJson, leaves_out_a_metric_that_is_not_a_number_and_keeps_its_place_in_a_series) {
  RunResult run;
  run.cells = {measured_cell(0, {}, std::numeric_limits<double>::quiet_NaN())};
  Repeat repeat;
  repeat.series["step_time"] = {1.0, std::numeric_limits<double>::quiet_NaN()};
  run.cells[0].repeats = {repeat};
  const RunResult back = read_run_json(write_json(json_of(run)));
  EXPECT_EQ(find_metric(back.cells[0].metrics, "samples_per_second"), nullptr);
  EXPECT_TRUE(std::isnan(back.cells[0].repeats[0].series.at("step_time").at(1)));
}

TEST(RunJson, survives_bytes_that_are_not_utf8) {
  RunResult run;
  run.command = "feedrate sweep \xff.yaml";
  EXPECT_EQ(read_run_json(write_json(json_of(run))).command, "feedrate sweep \xEF\xBF\xBD.yaml");
}

TEST(RunJson, holds_a_run_without_cells) {
  EXPECT_TRUE(read_run_json(write_json(json_of(RunResult{}))).cells.empty());
}

TEST(RunJson, refuses_another_schema) {
  expect_damaged_json(
      replaced(json_of(sample_run()), "\"schema_version\": 1", "\"schema_version\": 2"),
      ": $.schema_version: is 2; this program reads 1");
}

TEST(RunJson, names_the_location_of_damage) {
  const std::string text = json_of(sample_run());
  expect_damaged_json("[]", ": $: is []; must be an object");
  expect_damaged_json(replaced(text, "\"jobid\"", "\"job\""), ": $.jobid: is missing");
  expect_damaged_json(replaced(text, "\"cell\":1", "\"cell\":-1"),
                      ": $.cells[1].cell: is -1; must be a whole number");
  expect_damaged_json(
      replaced(text, "\"outcome\":\"ok\"", "\"outcome\":\"fine\""),
      ": $.cells[0].outcome: outcome \"fine\": unknown; must be pending, ok, skipped or failed");
  expect_damaged_json(replaced(text, "\"num_workers\":2", "\"num_workers\":[2]"),
                      ": $.cells[0].settings.num_workers: is [2]; must be a text");
}

TEST(RunJson, refuses_a_number_that_no_double_holds) {
  const std::filesystem::path path =
      write_json(replaced(json_of(sample_run()), "\"step_ms\":2.5", "\"step_ms\":1e999"));
  EXPECT_THROW(static_cast<void>(read_run_json(path)), FormatError);
}

TEST(RunJson, refuses_a_file_that_was_cut_off_anywhere) {
  const std::string text = json_of(sample_run());
  const std::filesystem::path path = fresh_folder() / "run.json";
  for (std::size_t size = 0; size + 2 < text.size(); size += 97) {
    std::ofstream(path, std::ios::binary) << text.substr(0, size);
    EXPECT_THROW(static_cast<void>(read_run_json(path)), FormatError) << size;
  }
}

// The history is dumped before parsing, which recurses per level.
TEST(RunJson, refuses_absurd_nesting) {
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  expect_damaged_json(deep, ": JSON is nested more than 64 deep");
  expect_damaged_json(replaced(json_of(watched_run()), "\"steps\":100", "\"steps\":" + deep),
                      ": JSON is nested more than 64 deep");
}

}  // namespace
}  // namespace feedrate
