// SPDX-License-Identifier: Apache-2.0
#include <csignal>
#include <cstdlib>

#include <nlohmann/json.hpp>

#include "analysis/best.h"
#include "analysis/report/load_run.h"
#include "tests/program/busy_cpus.h"
#include "tests/program/cost_profiles.h"
#include "tests/program/requires_torch.h"
#include "tests/program/workspace.h"

namespace feedrate::testing {
namespace {

constexpr const char* kGrid =
    "batch_size: 4, num_workers: [0, 1, 2], prefetch_factor: [1, 2], pin_memory: [false, true]";

class Tune : public Workspace {
 protected:
  void SetUp() override {
    write("t.yaml",
          without_engine(sweep_config("path: ds, make: {preset: cifar10-like, count: 64}", kGrid)));
  }

  // The figures are noise, with four steps of a millisecond: these tests do not depend on the
  // recommendation.
  Finished tune(std::string_view options) const {
    return feedrate(fmt::format("tune t.yaml --engine native --out results {}", options));
  }

  // Checks DataLoader's arguments in recommendation.json.
  void expect_arguments_of(const Settings& settings) const {
    const auto json = nlohmann::json::parse(read("results/recommendation.json"));
    const auto& arguments = json.at("dataloader_kwargs");
    std::vector<const char*> names{"batch_size", "shuffle", "num_workers", "pin_memory",
                                   "drop_last"};
    if (arguments.at("num_workers") > 0) {
      names.insert(names.end(), {"prefetch_factor", "persistent_workers"});
    }
    EXPECT_EQ(arguments.size(), names.size()) << arguments;
    for (const char* const name : names) {
      EXPECT_EQ(arguments.at(name).dump(), to_string(*find_setting(settings, name))) << name;
    }
  }
};

// Uses only the native loader, whose best settings differ from PyTorch's. One tune serves all
// checks.
TEST_F(Tune, prints_and_saves_the_recommendation) {
  const Finished done = tune("--budget 20s");
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(
      done.out,
      AllOf(HasSubstr("Measured with feedrate's native loader; PyTorch's DataLoader needs more"),
            HasSubstr("Best with this loader: "), HasSubstr("settings considered"),
            HasSubstr("Warnings:\n"), HasSubstr("Written: results/")));
  EXPECT_THAT(done.out, AllOf(Not(HasSubstr("DataLoader(dataset")), Not(HasSubstr("#SBATCH"))));
  EXPECT_THAT(done.err,
              AllOf(HasSubstr("probes first"), HasSubstr("[probe 1/"), HasSubstr("trainer=discard"),
                    HasSubstr("loader=cached"), HasSubstr(" left\n"), HasSubstr("confidence ")));

  const RunResult run = load_run(path("results"));
  EXPECT_FALSE(run.interrupted);
  EXPECT_FALSE(cells_with(run, "loader", "cached").empty());
  EXPECT_FALSE(cells_with(run, "trainer", "discard").empty());
  for (const CellResult& cell : run.cells) {
    EXPECT_EQ(cell.outcome == Outcome::kOk, !cell.repeats.empty());
    EXPECT_EQ(&run.cells[cell.index], &cell);
  }
  EXPECT_TRUE(exists("results/cells.csv"));

  const auto json = nlohmann::json::parse(read("results/recommendation.json"));
  EXPECT_EQ(json.at("schema_version"), 1);
  EXPECT_EQ(json.at("simulated"), true);
  EXPECT_EQ(json.at("considered"), 10);
  const auto& recommended = json.at("recommended");
  const auto workers = recommended.at("settings").at("num_workers").get<int>();
  EXPECT_THAT(done.out, HasSubstr(fmt::format("Best with this loader: num_workers={} ", workers)));
  EXPECT_EQ(json.at("code"), "");
  EXPECT_TRUE(json.at("dataloader_kwargs").is_null());
  ASSERT_GE(recommended.at("starts"), 2);
  EXPECT_LE(recommended.at("low"), recommended.at("samples_per_second"));
  EXPECT_LE(recommended.at("samples_per_second"), recommended.at("high"));
  EXPECT_TRUE(json.at("present").is_null() || json.at("present").contains("verdict"));

  ASSERT_TRUE(run.recommended);
  EXPECT_EQ(run.recommended->text, json.at("text").get<std::string>());
  EXPECT_EQ(run.recommended->claim, json.at("claim").get<std::string>());
  EXPECT_THAT(read("results/table.md"), HasSubstr(run.recommended->text));
  ASSERT_NE(recommended_cell(run), nullptr);
  EXPECT_EQ(to_string(*find_setting(recommended_cell(run)->settings, "num_workers")),
            json.at("recommended").at("settings").at("num_workers").dump());
}

// The user does not choose the step: the faster of two is no recommendation.
TEST_F(Tune, asks_to_choose_one_of_several_conditions) {
  const Finished steps = tune("--axis step_ms=1,5");
  EXPECT_EQ(steps.exit_code, 2);
  EXPECT_THAT(steps.err, AllOf(HasSubstr("step_ms (1, 5)"), HasSubstr("--only step_ms=1")));
  EXPECT_FALSE(exists("results"));
  write("t.yaml", read("t.yaml") + "engine: [native, torch]\n");
  refuses("tune t.yaml --out results --budget 20s", {"engine (native, torch)"});
  EXPECT_EQ(tune("--budget 20s").exit_code, 0) << "--engine native names one";
  EXPECT_EQ(tune("--budget 20s --axis step_ms=1,5 --only step_ms=5 --force").exit_code, 0);
}

TEST_F(Tune, reports_the_cpus_used_by_other_programs) {
  const BusyCpus others;
  const Finished done = tune(
      "--budget 10s --steps 60 --axis step_ms=5");  // long enough for the clock ticks of CPU times
  EXPECT_THAT(done.out.substr(done.out.find("Warnings:")), HasSubstr("Other programs used"));
}

TEST_F(Tune, without_torch_names_the_loader_of_its_rates) {
  ChildSetup without = setup();
  without.before_exec = [] { return ::setenv("FEEDRATE_PYTHON", "/no/such/python3", 1) == 0; };
  const Finished done = run_feedrate("tune t.yaml --out results --budget 20s", without);
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.err, HasSubstr("Rates are those of feedrate's native loader"));
  EXPECT_THAT(done.out, StartsWith("Measured with feedrate's native loader"));
}

// The native loader explores at the costs of a profile; PyTorch's verifies.
TEST_F(Tune, with_torch_rates_are_those_of_its_dataloader) {
  write("p.yaml", some_profile("m", "torch 2"));
  write("t.yaml", read("t.yaml") + "emulate: p.yaml\n");
  const Finished done = feedrate("tune t.yaml --budget 40s --out results");
  REQUIRE_TORCH_EXIT(done, 0);
  EXPECT_THAT(done.out,
              AllOf(HasSubstr("DataLoader(dataset"), Not(HasSubstr("feedrate's native loader"))));
  const RunResult run = load_run(path("results"));
  ASSERT_NE(recommended_cell(run), nullptr);
  EXPECT_EQ(to_string(*find_setting(recommended_cell(run)->settings, "engine")), "torch");
  for (const char* const engine : {"native", "torch"}) {
    EXPECT_FALSE(cells_with(run, "engine", engine).empty()) << engine;
  }
  expect_arguments_of(recommended_cell(run)->settings);
}

// A calibration would take longer.
TEST_F(Tune, few_settings_are_explored_in_pytorch_itself) {
  write("t.yaml", without_engine(sweep_config("path: ds, make: {preset: cifar10-like, count: 64}",
                                              "batch_size: 4, num_workers: [0, 1]")));
  const Finished done =
      run_feedrate("tune t.yaml --budget 30s --out results", with_cache(setup(), path("cache")));
  REQUIRE_TORCH_EXIT(done, 0);
  EXPECT_THAT(done.err, Not(HasSubstr("calibrating")));
  const RunResult run = load_run(path("results"));
  EXPECT_TRUE(cells_with(run, "engine", "native").empty());
  EXPECT_FALSE(cells_with(run, "engine", "torch").empty());
  EXPECT_FALSE(exists("cache"));
}

TEST_F(Tune, its_mock_loader_takes_batches_from_a_format_that_is_named) {
  static_cast<void>(tune("--budget 20s --axis format=tar"));
  const std::vector<CellResult> limits = cells_with(load_run(path("results")), "loader", "cached");
  EXPECT_FALSE(limits.empty());
  for (const CellResult& cell : limits) EXPECT_EQ(cell.outcome, Outcome::kOk) << cell.reason;
}

TEST_F(Tune, goes_on_where_an_earlier_one_stopped) {
  const Finished first = tune("--budget 1s");
  const std::size_t before = starts_of(load_run(path("results")));
  const Finished second = tune("--budget 20s");
  EXPECT_EQ(second.exit_code, 0) << second.err;
  EXPECT_GE(starts_of(load_run(path("results"))), before);
  EXPECT_THAT(second.err, Not(HasSubstr("[probe 1/6] num_workers= ")));
}

// The process dies whenever it measures its first cell.
TEST_F(Tune, stops_retrying_a_cell_that_kills_feedrate) {
  for (std::ptrdiff_t times = 1; times <= 2; ++times) {
    FeedrateChild child("tune t.yaml --engine native --axis step_ms=200 --budget 20s --out results",
                        setup());
    ASSERT_TRUE(child.wait_until([&] {
      const std::string begun =
          exists("results/run.begun") ? read("results/run.begun") : std::string();
      return std::count(begun.begin(), begun.end(), '\n') == times;
    }));
    child.send(SIGKILL);
    static_cast<void>(child.wait());
  }
  static_cast<void>(tune("--axis step_ms=200 --budget 1s"));
  const RunResult run = load_run(path("results"));
  EXPECT_TRUE(std::any_of(run.cells.begin(), run.cells.end(), [](const CellResult& cell) {
    return cell.outcome == Outcome::kFailed &&
           cell.reason.find("killed or crashed 2 times") != std::string::npos;
  }));
}

TEST_F(Tune, does_not_mix_the_results_of_two_configurations) {
  static_cast<void>(tune("--budget 1s"));
  write("t.yaml", read("t.yaml") + "\n");
  const Finished done = tune("--budget 1s");
  EXPECT_EQ(done.exit_code, 2);
  EXPECT_THAT(done.err, AllOf(HasSubstr("results: holds the results"), HasSubstr("--force")));
  EXPECT_THAT(tune("--budget 1s --force").err, HasSubstr("[probe 1/"));
}

TEST_F(Tune, compares_the_result_with_the_present_settings) {
  write("t.yaml", sweep_config("path: ds, make: {preset: cifar10-like, count: 64}",
                               "batch_size: 4, num_workers: [1, 2]"));
  const Finished done = tune("--budget 20s --present num_workers=3,prefetch_factor=4 --json");
  EXPECT_EQ(done.out, read("results/recommendation.json"));
  EXPECT_THAT(done.err, HasSubstr("Best with this loader: "));
  const auto present = cells_with(load_run(path("results")), "num_workers", "3");
  EXPECT_TRUE(std::any_of(present.begin(), present.end(), [](const CellResult& cell) {
    return to_string(*find_setting(cell.settings, "prefetch_factor")) == "4" &&
           cell.outcome == Outcome::kOk;
  }));
}

TEST_F(Tune, refuses_a_memory_limit_that_nothing_fits) {
  const Finished done = tune("--max-host-mem 10");
  EXPECT_EQ(done.exit_code, 2);
  EXPECT_THAT(done.err, HasSubstr("no cell fits in memory"));
}

TEST_F(Tune, an_interrupt_keeps_the_results) {
  FeedrateChild child("tune t.yaml --engine native --out results --budget 10m --confidence 0.999",
                      setup());
  ASSERT_TRUE(child.wait_for_error_text("confidence "));
  child.send(SIGINT);
  const Finished done = child.wait();
  EXPECT_EQ(done.exit_code, 130) << done.err;
  EXPECT_TRUE(load_run(path("results")).interrupted);
  EXPECT_THAT(done.out, HasSubstr("Best with this loader: "));
}

TEST_F(Tune, a_budget_that_is_too_small_gives_no_recommendation) {
  write("t.yaml", read("t.yaml") + "\n");
  const Finished done = tune("--budget 1s --steps 2000");
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.out, HasSubstr("No recommendation yet"));
}

// A pool of 50 batches of 4 begins with long sequences and ends with short ones.
TEST_F(Tune, keeps_as_many_steps_of_grouped_sequences_as_the_sweep_asks_for) {
  write("t.yaml",
        "dataset: {path: ds, make: {preset: tokens-like, count: 800, format: tfrecord}}\n"
        "pipeline: {transforms: [tokens: 32]}\n"
        "loader: {batch_size: 4, num_workers: [0, 1], shuffle: true, group_by_length: true}\n"
        "device: {name: 'sim:a100-pcie4'}\ntrainer: {step_ms: 1}\n"
        "measure: {steps: 100, warmup: 0, repeats: 1}\n");
  static_cast<void>(tune("--budget 20s"));
  const RunResult run = load_run(path("results"));
  for (const CellResult& cell : run.cells) {
    for (const Repeat& repeat : cell.repeats) {
      EXPECT_EQ(*find_metric(repeat.metrics, "steps"), 100.0);
    }
  }
  EXPECT_GT(starts_of(run), 0U);
}

TEST_F(Tune, takes_budgets_tolerances_and_sizes_with_units_and_refuses_others) {
  for (const char* wrong :
       {"--budget 5parsecs", "--tolerance 80%", "--objective fame", "--confidence 1"}) {
    EXPECT_EQ(tune(wrong).exit_code, 2) << wrong;
  }
}

TEST_F(Tune, checks_its_model_against_a_recorded_run) {
  EXPECT_THAT(
      succeeds("tune --check-model --cores 2 " FEEDRATE_SOURCE_DIR
               "/results/epyc-2cpu-sim-a100-pcie4/2026-11-21-agreement-png")
          .out,
      AllOf(HasSubstr("held-out cells: error of step_time median"), HasSubstr("near the knee")));
}

TEST_F(Tune, checks_no_model_against_a_run_without_cells) {
  write("run.json",
        R"({"schema_version": 1, "config_name": "none", "question": "", "started_at": "",)"
        R"( "command": "", "jobid": "", "simulated": false, "interrupted": true, "axes": [],)"
        R"( "environment": {"facts": {}, "warnings": []}, "config_text": "", "cells": []})");
  refuses("tune --check-model run.json", {"run.json: "});
}

}  // namespace
}  // namespace feedrate::testing
