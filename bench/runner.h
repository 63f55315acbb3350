// Runs every cell of a plan, repeat by repeat, and keeps what is known whatever happens.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>

#include "bench/engines/engine.h"
#include "report/result.h"

namespace feedrate {

struct RunnerOptions {
  std::size_t repeats = 3;  ///< of each cell, with those that it has
  std::uint64_t seed = 0;   ///< of the transforms, the shuffle, and the order of cells
  Nanos cell_timeout = std::chrono::minutes(10);
  std::optional<double> au_threshold = std::nullopt;  ///< for au_verdict
};

/// What is going on, for progress. Called from the runner's thread.
struct RunnerProgress {
  std::size_t done = 0;   ///< repeats of cells measured or failed
  std::size_t total = 0;  ///< to be done in all
  std::size_t repeat = 0;
  const CellResult* cell = nullptr;  ///< the one that begins, or has just ended
};

struct RunnerEvents {
  std::function<void(const RunnerProgress&)> on_begin;
  std::function<void(const RunnerProgress&)> on_end;  ///< results may be saved here
};

/// Measures one start of the cell's loader and adds it to the cell. A cell that throws, or that
/// takes too long, fails with the reason; once `stop` is requested nothing is added.
void measure_start(CellResult& cell, CellEngine& engine, const RunnerOptions& options,
                   const std::stop_token& stop);

/// One thread drives it.
class Runner {
 public:
  Runner(RunnerOptions options, CellEngine& engine, RunnerEvents events);

  /// Measures the cells of `run` that have fewer repeats than wanted, unless they were skipped or
  /// have failed, and fills their results in. Within each repeat the cells
  /// run in a random order of their own, so that a drift of the machine does not become a
  /// difference between settings. A cell that throws fails and is not tried again; the others go
  /// on. Returns early, with run.interrupted set, once `stop` is requested.
  void run(RunResult& run, const std::stop_token& stop);

 private:
  void run_repeat(RunResult& run, std::size_t repeat, const std::stop_token& stop);
  [[nodiscard]] std::vector<CellResult*> in_random_order(RunResult& run, std::size_t repeat) const;

  RunnerOptions options_;
  CellEngine& engine_;
  RunnerEvents events_;
  RunnerProgress progress_;
};

}  // namespace feedrate
