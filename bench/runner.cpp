// SPDX-License-Identifier: Apache-2.0
#include "bench/runner.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <utility>

#include <fmt/format.h>

#include "analysis/aggregate.h"
#include "bench/ranks/group.h"
#include "core/error.h"
#include "core/format.h"
#include "core/host/deadline.h"
#include "core/host/out_of_memory.h"
#include "core/host/slurm.h"
#include "core/random.h"
#include "device/lost.h"

namespace feedrate {
namespace {

bool still_runs(const CellResult& cell) {
  return cell.outcome == Outcome::kPending || cell.outcome == Outcome::kOk;
}

// A batch system signals all processes of a job at once; the worker's failure may be noticed before
// this process's own signal.
bool stops_soon(const std::stop_token& stop) {
  constexpr auto kSoon = std::chrono::milliseconds(100);
  std::mutex mutex;
  std::unique_lock lock(mutex);
  std::condition_variable_any changed;
  changed.wait_for(lock, stop, kSoon, [] { return false; });
  return stop.stop_requested();
}

}  // namespace

void measure_start(CellResult& cell, CellEngine& engine, const MeasureConfig& measure,
                   const std::stop_token& stop) {
  const auto fail = [&](std::string reason) {
    cell.outcome = Outcome::kFailed;
    cell.reason = std::move(reason);
  };
  const OutOfMemory memory;
  Deadline deadline(measure.cell_timeout, stop);
  try {
    const CellSpec spec = make_cell_spec(cell.settings, measure.seed);
    cell.repeats.push_back(engine.run(spec, deadline.token()));
    cell.jobid = slurm_job_id();
    cell.node = node_name();
    cell.metrics = combine(cell.repeats);
    if (measure.au_threshold) add_au_verdict(cell.metrics, *measure.au_threshold);
    cell.outcome = Outcome::kOk;
  } catch (const Cancelled&) {
    if (stop.stop_requested()) return;
    fail(fmt::format("took longer than measure.cell_timeout_s, {}",
                     format_duration(to_seconds(measure.cell_timeout))));
  } catch (const DeviceLostToProcess& lost) {
    fail(lost.what());
    throw;
  } catch (const RankLost& lost) {
    fail(lost.what());  // no stop follows: the launcher ends this rank, too
  } catch (const std::exception& error) {
    if (!stops_soon(stop)) fail(memory.explain(error_text(error)));
  }
}

Runner::Runner(MeasureConfig measure, CellEngine& engine, RunnerEvents events)
    : measure_(std::move(measure)), engine_(engine), events_(std::move(events)) {}

void Runner::run(RunResult& run, const std::stop_token& stop) {
  progress_ = {};
  begin_ = std::chrono::steady_clock::now();
  round_ = 0;
  for (const CellResult& cell : run.cells) {
    for (std::size_t i = 0; i < cell.repeats.size(); ++i) {
      round_ = std::max(round_, cell.repeats[i].round.value_or(i) + 1);
    }
    const std::size_t had = std::min(cell.repeats.size(), measure_.repeats.least);
    if (still_runs(cell)) progress_.total += measure_.repeats.least - had;
  }
  run.interrupted = true;
  while (!stop.stop_requested()) {
    std::vector<CellResult*> cells = next_round(run);
    if (cells.empty()) break;
    run_round(std::move(cells), stop);
  }
  run.interrupted = stop.stop_requested();
}

// The cells with the fewest repeats below the least; else the contenders.
std::vector<CellResult*> Runner::next_round(RunResult& run) const {
  std::size_t fewest = measure_.repeats.least;
  for (const CellResult& cell : run.cells) {
    if (still_runs(cell)) fewest = std::min(fewest, cell.repeats.size());
  }
  if (fewest == measure_.repeats.least) return contending(run);
  std::vector<CellResult*> cells;
  for (CellResult& cell : run.cells) {
    if (still_runs(cell) && cell.repeats.size() == fewest) cells.push_back(&cell);
  }
  return cells;
}

std::vector<CellResult*> Runner::contending(RunResult& run) const {
  const bool is_over =
      measure_.budget && std::chrono::steady_clock::now() - begin_ > *measure_.budget;
  if (measure_.repeats.most <= measure_.repeats.least || is_over) return {};
  std::vector<CellResult*> cells;
  for (const std::size_t index : events_.contenders(run)) {
    CellResult& cell = run.cells.at(index);
    if (still_runs(cell) && cell.repeats.size() < measure_.repeats.most) cells.push_back(&cell);
  }
  return cells;
}

void Runner::run_round(std::vector<CellResult*> cells, const std::stop_token& stop) {
  RandomStream random = sample_stream(measure_.seed, round_, 0);
  for (std::size_t i = cells.size(); i > 1; --i) std::swap(cells[i - 1], cells[random.below(i)]);
  progress_.total = std::max(progress_.total, progress_.done + cells.size());
  for (CellResult* cell : cells) {
    if (stop.stop_requested()) return;
    progress_.cell = cell;
    events_.on_begin(progress_);
    const std::size_t had = cell->repeats.size();
    try {
      measure_start(*cell, engine_, measure_, stop);
    } catch (const DeviceLostToProcess&) {
      events_.on_end(progress_);
      throw;
    }
    if (stop.stop_requested() && cell->outcome != Outcome::kFailed) return;
    if (cell->repeats.size() > had) cell->repeats.back().round = round_;
    const std::size_t missing = std::max(measure_.repeats.least, had + 1) - had;
    progress_.done += cell->outcome == Outcome::kFailed ? missing : 1;
    events_.on_end(progress_);
  }
  ++round_;
}

}  // namespace feedrate
