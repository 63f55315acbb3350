// SPDX-License-Identifier: Apache-2.0
// Runs every cell of a plan in rounds, and keeps all results on failures.
#pragma once
#include <chrono>
#include <functional>
#include <stop_token>
#include <vector>

#include "bench/engines/engine.h"
#include "bench/plan/config.h"
#include "core/result.h"

namespace feedrate {

/// Passed to the events, on the runner's thread.
struct RunnerProgress {
  std::size_t done = 0;              ///< repeats measured or failed
  std::size_t total = 0;             ///< repeats to be done, as far as known
  const CellResult* cell = nullptr;  ///< the cell that begins or has just ended
};

struct RunnerEvents {
  std::function<void(const RunnerProgress&)> on_begin;
  std::function<void(const RunnerProgress&)> on_end;  ///< results may be saved here
  /// Returns the indices of cells that may still be the best; empty if the decision is resolved.
  /// Called after each round once every cell has the least repeats.
  std::function<std::vector<std::size_t>(const RunResult&)> contenders = {};
};

/// Measures one start of the cell's loader and adds it to the cell. A cell that throws or exceeds
/// its time limit fails with the reason. Adds nothing once `stop` is requested. Throws
/// DeviceLostToProcess after the cell has failed: this process can measure no other cell.
void measure_start(CellResult& cell, CellEngine& engine, const MeasureConfig& measure,
                   const std::stop_token& stop);

/// One thread drives it.
class Runner {
 public:
  /// The repeats are those of a cell, including existing ones.
  Runner(MeasureConfig measure, CellEngine& engine, RunnerEvents events);

  /// Measures the pending cells of `run` in rounds and fills in their results: first cells with
  /// fewer repeats than the least, then contenders. Each round has a random order of its own, so
  /// that a drift of the machine does not look like a difference of settings. A cell that throws
  /// fails and is not retried; the others continue. Returns early, with run.interrupted set, once
  /// `stop` is requested. Throws DeviceLostToProcess, also with run.interrupted set; the other
  /// cells stay as they are.
  void run(RunResult& run, const std::stop_token& stop);

 private:
  [[nodiscard]] std::vector<CellResult*> next_round(RunResult& run) const;
  [[nodiscard]] std::vector<CellResult*> contending(RunResult& run) const;
  void run_round(std::vector<CellResult*> cells, const std::stop_token& stop);

  MeasureConfig measure_;
  CellEngine& engine_;
  RunnerEvents events_;
  RunnerProgress progress_;
  std::size_t round_ = 0;
  std::chrono::steady_clock::time_point begin_;
};

}  // namespace feedrate
