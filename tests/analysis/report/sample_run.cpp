// SPDX-License-Identifier: Apache-2.0
#include "tests/analysis/report/sample_run.h"

#include <limits>

namespace feedrate {
namespace {

Settings settings_of(std::int64_t workers, bool pin_memory, const char* format) {
  return {{"format", std::string(format)},
          {"batch_size", std::int64_t{128}},
          {"num_workers", workers},
          {"prefetch_factor", std::int64_t{2}},
          {"pin_memory", pin_memory},
          {"persistent_workers", false},
          {"drop_last", false},
          {"shuffle", true},
          {"in_order", true},
          {"non_blocking", true},
          {"copy_stream", std::string("same")},
          {"device", std::string("sim:a100-pcie4")},
          {"trainer", std::string("burn")},
          {"step_ms", 2.5}};
}

Repeat repeat_with(double loading_time) {
  Repeat repeat;
  repeat.metrics = {{"samples_per_second", 12000.0}, {"loading_time", loading_time}};
  repeat.series["loading_time"] = {loading_time, 0.1, 1e-9};
  repeat.series["first_batch_time"] = {0.125};
  return repeat;
}

CellResult fast_cell() {
  CellResult cell = measured_cell(0, settings_of(2, true, "lmdb"), 12345.0, 370.35);
  cell.metrics.push_back({"loading_time", 0.00787});
  cell.metrics.push_back({"training_time", 0.0025});
  cell.metrics.push_back({"first_batch_time", 0.125});
  cell.metrics.push_back({"au", 0.2411});
  cell.metrics.push_back({"repeats", 2});
  cell.metrics.push_back({"trainer_limit", 49380.0});
  cell.metrics.push_back({"loader_limit", 13000.0});
  cell.metrics.push_back({"stall", 0.75});
  cell.metrics.push_back({"headspace", 4.0});
  cell.bottleneck = "decode CPU";
  cell.jobid = "4711_2";
  cell.node = "node7";
  cell.repeats = {repeat_with(0.0078), repeat_with(0.00794)};
  return cell;
}

CellResult tied_cell() {
  CellResult cell = measured_cell(1, settings_of(0, false, "lmdb"), 12000.0, 120.0);
  cell.metrics.push_back({"loading_time", 0.0081});
  cell.metrics.push_back({"training_time", 0.0025});
  cell.metrics.push_back({"au", std::numeric_limits<double>::quiet_NaN()});
  return cell;
}

CellResult unmeasured_cell(std::size_t index, Settings settings, Outcome outcome,
                           const char* reason) {
  CellResult cell;
  cell.index = index;
  cell.settings = std::move(settings);
  cell.outcome = outcome;
  cell.reason = reason;
  return cell;
}

Settings watched_settings(std::int64_t workers, const char* site = "/home/me/train.py:42") {
  return {{"engine", std::string("torch")},
          {"site", std::string(site)},
          {"batch_size", std::int64_t{64}},
          {"num_workers", workers},
          {"pin_memory", false}};
}

HistorySegment segment(double begin, std::int64_t workers, SegmentUse use, double loading) {
  return {.begin = begin,
          .end = begin + 10.0,
          .settings = watched_settings(workers),
          .use = use,
          .steps = 100,
          .times = HistoryTimes{loading, 0.05, 0.25},
          .samples_per_second = 64.0 / (loading + 0.05)};
}

LoaderHistory tuned_loader() {
  LoaderHistory loader;
  loader.loader = "train.py:42 DataLoader(ImageFolder, batch_size=64, num_workers=0)";
  loader.segments = {segment(0.5, 0, SegmentUse::kOwn, 0.1),
                     segment(11.0, 2, SegmentUse::kTrial, 0.03),
                     segment(22.0, 4, SegmentUse::kKept, 0.001)};
  loader.segments[1].problem = "killed";
  loader.epochs = {{0.0, 0.5}, {20.0, 0.25}};
  loader.points = {{0.5, 10.5, {0.1, 0.05, 0.6}},
                   {11.0, 21.0, {0.03, 0.05, {}}},
                   {22.0, 32.0, {0.001, 0.05, 0.02}}};
  return loader;
}

LoaderHistory other_loader() {
  LoaderHistory loader;
  loader.loader = "train.py:50 DataLoader(ImageFolder, batch_size=64, num_workers=1)";
  loader.segments = {{.begin = 11.0,
                      .end = 12.0,
                      .settings = watched_settings(1, "/home/me/train.py:50"),
                      .steps = 3}};
  loader.points = {{11.0, 12.0, {0.1, 0.05, {}}}};
  return loader;
}

}  // namespace

CellResult measured_cell(std::size_t index, Settings settings, double rate, double half) {
  CellResult cell;
  cell.index = index;
  cell.settings = std::move(settings);
  cell.outcome = Outcome::kOk;
  cell.metrics = {{"samples_per_second", rate}};
  if (half > 0.0) {
    cell.metrics.push_back({"samples_per_second_low", rate - half});
    cell.metrics.push_back({"samples_per_second_high", rate + half});
  }
  return cell;
}

RunResult sample_run() {
  RunResult run;
  run.config_name = "sample";
  run.question = "Which number of workers keeps a GPU fed?";
  run.config_text = "# Which number of workers keeps a GPU fed?\nloader: {num_workers: [0, 2]}\n";
  run.started_at = "2025-01-02T03:04:05Z";
  run.command = "feedrate sweep \"my configs/sample.yaml\"";
  run.overrides = {"--axis=num_workers=0,2", "--steps=60"};
  run.set = {"batch_size", "device", "num_workers", "step_ms"};
  run.jobid = "4711";
  run.simulated = true;
  run.environment.facts = {{"host_name", "node7"}, {"cpu_model", "Some CPU | 3 GHz"}};
  run.environment.warnings = {"The device was simulated.", "This is a debug build."};
  run.axes = {"format", "num_workers", "pin_memory"};
  run.cells = {fast_cell(),
               tied_cell(),
               measured_cell(2, settings_of(2, false, "folder"), 928.6),
               unmeasured_cell(3, settings_of(2, true, "tar"), Outcome::kFailed,
                               "a.tar: record 17: \"not, a JPEG\"\nat all"),
               unmeasured_cell(4, settings_of(0, true, "tar"), Outcome::kSkipped,
                               "prefetch_factor needs workers"),
               unmeasured_cell(5, settings_of(0, false, "tar"), Outcome::kPending, "")};
  return run;
}

RunResult watched_run() {
  RunResult run;
  run.config_name = "train";
  run.question = "What do the steps of train wait for?";
  run.started_at = "2026-01-02T03:04:05Z";
  run.command = "feedrate run --tune train.py";
  run.axes = {"site", "num_workers"};
  run.cells = {measured_cell(0, watched_settings(0), 426.0, 4.0),
               measured_cell(1, watched_settings(2), 800.0, 10.0),
               measured_cell(2, watched_settings(4), 1254.0, 12.0),
               measured_cell(3, watched_settings(1, "/home/me/train.py:50"), 2000.0, 20.0)};
  run.cells[0].metrics.push_back({"stall", 0.66});
  run.cells[0].bottleneck = "decode CPU";
  run.history = RunHistory{{"300 steps of train.py:42", "INPUT-BOUND", "tuned: num_workers=0 -> 4"},
                           {tuned_loader(), other_loader()}};
  return run;
}

}  // namespace feedrate
