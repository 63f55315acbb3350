// SPDX-License-Identifier: Apache-2.0
#include "bench/runner.h"

#include <set>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/plan/plan.h"
#include "core/error.h"
#include "device/lost.h"

namespace feedrate {
namespace {

using ::testing::HasSubstr;

// A run of pending cells with num_workers from 0 to cells - 1.
RunResult pending_run(std::size_t cells) {
  SweepConfig config = parse_config("dataset: {path: x}\ndevice: {name: 'sim:h200'}\n", "s.yaml");
  Axis workers{"num_workers", {}};
  for (std::size_t i = 0; i < cells; ++i) workers.values.emplace_back(static_cast<std::int64_t>(i));
  override_axis(config, workers);
  RunResult run;
  for (const Cell& cell : make_plan(config, {})) {
    CellResult result;
    result.index = cell.index;
    result.settings = cell.settings;
    run.cells.push_back(result);
  }
  return run;
}

class ScriptedEngine final : public CellEngine {
 public:
  using Script = std::function<Repeat(std::size_t num_workers, const std::stop_token&)>;
  explicit ScriptedEngine(Script script) : script_(std::move(script)) {}
  Repeat run(const CellSpec& cell, const std::stop_token& stop) override {
    return script_(cell.loader.num_workers, stop);
  }

 private:
  Script script_;
};

Repeat rate(double samples_per_second) {
  return {{{"samples_per_second", samples_per_second}}, {}};
}

MeasureConfig measuring(std::size_t least, std::size_t most) {
  MeasureConfig wanted;
  wanted.repeats = {least, most};
  return wanted;
}

RunnerEvents no_events() {
  return {[](const RunnerProgress&) {}, [](const RunnerProgress&) {}, {}};
}

// Measures each start at the same rate.
void measure(RunResult& run, const MeasureConfig& measured,
             const RunnerEvents& events = no_events()) {
  ScriptedEngine engine([](std::size_t, const std::stop_token&) { return rate(1); });
  Runner(measured, engine, events).run(run, {});
}

TEST(Runner, measures_every_cell_once_a_repeat_and_in_another_order_each_time) {
  std::vector<std::size_t> order;
  ScriptedEngine engine([&](std::size_t workers, const std::stop_token&) {
    order.push_back(workers);
    return rate(static_cast<double>(workers));
  });
  RunResult run = pending_run(8);
  MeasureConfig wanted = measuring(2, 2);
  wanted.seed = 1;
  Runner(wanted, engine, no_events()).run(run, {});
  ASSERT_EQ(order.size(), 16U);
  const std::vector<std::size_t> first(order.begin(), order.begin() + 8);
  const std::vector<std::size_t> second(order.begin() + 8, order.end());
  EXPECT_THAT(first, ::testing::UnorderedElementsAreArray(second));
  EXPECT_NE(first, second);
  for (const CellResult& cell : run.cells) {
    EXPECT_EQ(cell.outcome, Outcome::kOk);
    EXPECT_EQ(cell.repeats.size(), 2U);
    EXPECT_EQ(*find_metric(cell.metrics, "samples_per_second"), static_cast<double>(cell.index));
  }
}

TEST(Runner, has_the_same_order_for_the_same_seed) {
  std::vector<std::vector<std::size_t>> orders;
  for (int i = 0; i < 2; ++i) {
    orders.emplace_back();
    ScriptedEngine engine([&](std::size_t workers, const std::stop_token&) {
      orders.back().push_back(workers);
      return rate(1);
    });
    RunResult run = pending_run(8);
    MeasureConfig wanted = measuring(1, 1);
    wanted.seed = 7;
    Runner(wanted, engine, no_events()).run(run, {});
  }
  EXPECT_EQ(orders[0], orders[1]);
}

TEST(Runner, a_cell_that_throws_fails_alone_and_is_not_tried_again) {
  int tries = 0;
  ScriptedEngine engine([&](std::size_t workers, const std::stop_token&) {
    if (workers != 1) return rate(1);
    ++tries;
    throw FormatError("a.tar: record 3 at byte 512: damaged");
  });
  RunResult run = pending_run(3);
  std::vector<std::size_t> done;
  Runner(
      measuring(3, 3), engine,
      {[](const RunnerProgress&) {}, [&](const RunnerProgress& now) { done.push_back(now.done); }})
      .run(run, {});
  EXPECT_EQ(tries, 1);
  EXPECT_EQ(run.cells[1].outcome, Outcome::kFailed);
  EXPECT_EQ(run.cells[1].reason, "a.tar: record 3 at byte 512: damaged");
  EXPECT_EQ(run.cells[0].outcome, Outcome::kOk);
  EXPECT_EQ(run.cells[2].repeats.size(), 3U);
  EXPECT_EQ(done.back(), 9U);  // of 9: repeats that the failed cell skips count as done
}

TEST(Runner, ends_if_the_process_loses_the_device) {
  int started = 0;
  ScriptedEngine engine([&](std::size_t, const std::stop_token&) -> Repeat {
    if (++started == 2) throw DeviceLostToProcess("cuda:0 is lost");
    return rate(1.0);
  });
  int ended = 0;
  RunnerEvents events = no_events();
  events.on_end = [&](const RunnerProgress&) { ++ended; };
  RunResult run = pending_run(4);
  EXPECT_THROW(Runner(measuring(1, 1), engine, events).run(run, {}), DeviceLostToProcess);
  EXPECT_TRUE(run.interrupted);
  EXPECT_EQ(started, 2);
  EXPECT_EQ(ended, 2);
  const auto count = [&](Outcome outcome) {
    return std::count_if(run.cells.begin(), run.cells.end(),
                         [&](const CellResult& cell) { return cell.outcome == outcome; });
  };
  EXPECT_EQ(count(Outcome::kOk), 1);
  EXPECT_EQ(count(Outcome::kFailed), 1);
  EXPECT_EQ(count(Outcome::kPending), 2);
}

TEST(Runner, a_cell_that_takes_too_long_fails) {
  ScriptedEngine engine([](std::size_t, const std::stop_token& stop) -> Repeat {
    while (!stop.stop_requested()) std::this_thread::yield();
    throw Cancelled();
  });
  RunResult run = pending_run(1);
  MeasureConfig wanted = measuring(1, 1);
  wanted.cell_timeout = std::chrono::milliseconds(5);
  Runner(wanted, engine, no_events()).run(run, {});
  EXPECT_EQ(run.cells[0].outcome, Outcome::kFailed);
  EXPECT_THAT(run.cells[0].reason, HasSubstr("measure.cell_timeout_s"));
  EXPECT_FALSE(run.interrupted);
}

TEST(Runner, keeps_results_when_it_is_interrupted) {
  std::stop_source stop;
  int cells = 0;
  ScriptedEngine engine([&](std::size_t, const std::stop_token&) -> Repeat {
    if (++cells < 3) return rate(1);
    stop.request_stop();
    throw Cancelled();
  });
  RunResult run = pending_run(5);
  Runner(measuring(1, 1), engine, no_events()).run(run, stop.get_token());
  EXPECT_TRUE(run.interrupted);
  std::multiset<Outcome> outcomes;
  for (const CellResult& cell : run.cells) outcomes.insert(cell.outcome);
  EXPECT_EQ(outcomes.count(Outcome::kOk), 2U);
  EXPECT_EQ(outcomes.count(Outcome::kPending), 3U);
}

TEST(Runner, measures_only_what_a_run_lacks) {
  std::vector<std::size_t> order;
  ScriptedEngine engine([&](std::size_t workers, const std::stop_token&) {
    order.push_back(workers);
    return rate(static_cast<double>(workers));
  });
  RunResult run = pending_run(3);
  for (const std::size_t had : {std::size_t{1}, std::size_t{2}}) {
    run.cells[had].outcome = Outcome::kOk;
    run.cells[had].repeats.assign(had, rate(1));
  }
  std::size_t total = 0;
  Runner(measuring(2, 2), engine,
         {[](const RunnerProgress&) {}, [&](const RunnerProgress& now) { total = now.total; }, {}})
      .run(run, {});
  EXPECT_THAT(order, ::testing::UnorderedElementsAre(0, 0, 1));
  EXPECT_EQ(total, 3U);
  for (const CellResult& cell : run.cells) EXPECT_EQ(cell.repeats.size(), 2U);
}

TEST(Runner, does_not_measure_cells_with_enough_repeats) {
  RunResult run = pending_run(1);
  run.cells[0].repeats.assign(3, rate(1));
  measure(run, measuring(2, 2));
  EXPECT_EQ(run.cells[0].repeats.size(), 3U);
}

// Cell 2 drops out after the third round, cell 1 after the fifth.
TEST(Runner, measures_contenders_in_more_rounds_until_the_decision_is_resolved) {
  RunResult run = pending_run(3);
  RunnerEvents events = no_events();
  std::size_t looks = 0;
  events.contenders = [&](const RunResult& known) -> std::vector<std::size_t> {
    EXPECT_EQ(known.cells[0].repeats.size(), 3U + looks);
    ++looks;
    if (looks <= 2) return {0, 1};
    return looks == 3 ? std::vector<std::size_t>{0} : std::vector<std::size_t>{};
  };
  measure(run, measuring(3, 12), events);
  EXPECT_EQ(run.cells[0].repeats.size(), 6U);
  EXPECT_EQ(run.cells[1].repeats.size(), 5U);
  EXPECT_EQ(run.cells[2].repeats.size(), 3U);
  EXPECT_EQ(run.cells[0].repeats.back().round, 5U);
  EXPECT_EQ(run.cells[1].repeats.back().round, 4U);
}

TEST(Runner, measures_no_more_rounds_than_the_most_and_the_budget_allow) {
  RunnerEvents events = no_events();
  events.contenders = [](const RunResult&) { return std::vector<std::size_t>{0, 1}; };
  RunResult run = pending_run(2);
  measure(run, measuring(2, 4), events);
  EXPECT_EQ(run.cells[0].repeats.size(), 4U);
  run = pending_run(2);
  MeasureConfig wanted = measuring(2, 4);
  wanted.budget = Nanos(0);
  measure(run, wanted, events);
  EXPECT_EQ(run.cells[0].repeats.size(), 2U);
}

// The machine may have changed since the first rounds.
TEST(Runner, gives_a_resumed_run_new_rounds) {
  RunResult run = pending_run(2);
  measure(run, measuring(1, 1));
  measure(run, measuring(2, 2));
  for (const CellResult& cell : run.cells) EXPECT_EQ(cell.repeats.back().round, 1U);
}

TEST(Runner, leaves_skipped_cells_alone) {
  RunResult run = pending_run(2);
  run.cells[0].outcome = Outcome::kSkipped;
  run.cells[0].reason = "same as cell 1";
  measure(run, measuring(1, 1));
  EXPECT_EQ(run.cells[0].outcome, Outcome::kSkipped);
  EXPECT_TRUE(run.cells[0].repeats.empty());
}

TEST(Runner, judges_the_mean_of_au_over_the_starts) {
  std::size_t starts = 0;
  ScriptedEngine engine([&](std::size_t, const std::stop_token&) {
    return Repeat{{{"au", ++starts % 2 == 0 ? 0.95 : 0.88}}, {}};
  });
  RunResult run = pending_run(1);
  MeasureConfig wanted = measuring(2, 2);
  wanted.au_threshold = 0.9;
  Runner(wanted, engine, no_events()).run(run, {});
  ASSERT_NE(find_metric(run.cells[0].metrics, "au_verdict"), nullptr);
  EXPECT_EQ(*find_metric(run.cells[0].metrics, "au_verdict"), 1.0);

  RunResult unjudged = pending_run(1);
  Runner(measuring(2, 2), engine, no_events()).run(unjudged, {});
  EXPECT_EQ(find_metric(unjudged.cells[0].metrics, "au_verdict"), nullptr);
}

}  // namespace
}  // namespace feedrate
