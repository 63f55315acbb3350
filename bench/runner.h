// SPDX-License-Identifier: Apache-2.0
// Runs every cell of a plan, repeat by repeat, and keeps what is known whatever happens.
#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <vector>

#include "bench/engines/engine.h"
#include "bench/plan/config.h"
#include "core/result.h"

namespace feedrate {

struct RunnerOptions {
  Repeats repeats;         ///< of each cell, with those that it has
  std::uint64_t seed = 0;  ///< of the transforms, the shuffle, and the order of cells
  Nanos cell_timeout = std::chrono::minutes(10);
  std::optional<double> au_threshold = std::nullopt;  ///< for au_verdict
  std::optional<Nanos> budget = std::nullopt;         ///< no round beyond the least begins after it
};

/// What is going on, for progress. Called from the runner's thread.
struct RunnerProgress {
  std::size_t done = 0;              ///< repeats of cells measured or failed
  std::size_t total = 0;             ///< to be done in all, as far as it is known yet
  const CellResult* cell = nullptr;  ///< the one that begins, or has just ended
};

struct RunnerEvents {
  std::function<void(const RunnerProgress&)> on_begin;
  std::function<void(const RunnerProgress&)> on_end;  ///< results may be saved here
  /// Which cells may still be the best, by index; empty: the decision is resolved. Asked after each
  /// round once every cell has the least repeats.
  std::function<std::vector<std::size_t>(const RunResult&)> contenders = {};
};

/// Measures one start of the cell's loader and adds it to the cell. A cell that throws, or that
/// takes too long, fails with the reason; once `stop` is requested nothing is added. Throws
/// DeviceLostToProcess after the cell has failed by it: no other can be measured here.
void measure_start(CellResult& cell, CellEngine& engine, const RunnerOptions& options,
                   const std::stop_token& stop);

/// One thread drives it.
class Runner {
 public:
  Runner(RunnerOptions options, CellEngine& engine, RunnerEvents events);

  /// Measures the cells of `run` in rounds, unless they were skipped or have failed, and fills
  /// their results in: first what has fewer repeats than the least, then what contends. Within a
  /// round the cells run in a random order of its own, so that a drift of the machine does not
  /// become a difference between settings. A cell that throws fails and is not tried again; the
  /// others go on. Returns early, with run.interrupted set, once `stop` is requested. Throws
  /// DeviceLostToProcess, with run.interrupted set, too: the other cells are left as they are.
  void run(RunResult& run, const std::stop_token& stop);

 private:
  [[nodiscard]] std::vector<CellResult*> next_round(RunResult& run) const;
  [[nodiscard]] std::vector<CellResult*> contending(RunResult& run) const;
  void run_round(std::vector<CellResult*> cells, const std::stop_token& stop);

  RunnerOptions options_;
  CellEngine& engine_;
  RunnerEvents events_;
  RunnerProgress progress_;
  std::size_t round_ = 0;
  std::chrono::steady_clock::time_point begin_;
};

}  // namespace feedrate
