// SPDX-License-Identifier: Apache-2.0
#include "bench/tune_runner.h"

#include <algorithm>
#include <utility>

#include "analysis/whose_loader.h"
#include "bench/plan/protocol_options.h"
#include "bench/runner.h"
#include "core/error.h"
#include "core/host/cpu.h"

namespace feedrate {
namespace {

bool has_result(const CellResult& cell) {
  return cell.outcome == Outcome::kOk || cell.outcome == Outcome::kFailed;
}

CellResult& cell_with(RunResult& run, const Settings& settings) {
  const auto found = std::find_if(run.cells.begin(), run.cells.end(), [&](const CellResult& cell) {
    return cell.outcome != Outcome::kSkipped && cell.settings == settings;
  });
  if (found == run.cells.end()) throw Error("the tune has no cell of the settings it asks for");
  return *found;
}

}  // namespace

// The present settings matter only to the tuner that verifies.
TuneRunner::TuneRunner(const SweepConfig& config, const TuneCells& cells, const MemoryGuard& guard,
                       const TuneGoals& goals, double budget_seconds, RunResult& run,
                       TuneEvents events)
    : config_(config),
      cells_(cells),
      guard_(guard),
      goals_(goals),
      budget_(budget_seconds),
      run_(run),
      events_(std::move(events)),
      explorer_(cells.candidates, cells.probes,
                options_for(verifies() ? std::nullopt : cells.present)) {
  take_known(explorer_, false);
}

TunerOptions TuneRunner::options_for(std::optional<std::size_t> present) const {
  TunerOptions options;
  options.goals = goals_;
  options.goals.present = present;
  options.goals.seed = config_.measure.seed;
  options.steps = config_.measure.steps;
  options.least_steps = ProtocolOptions::kLeastSteps;
  if (config_.measure.window_limit) {
    options.window_seconds = to_seconds(*config_.measure.window_limit);
  }
  options.cores = usable_cpus();
  return options;
}

void TuneRunner::run(CellEngine& engine, const std::stop_token& stop) {
  begin_ = clock_.now();
  pursue(
      explorer_, engine, [this] { return left_to_explore(); }, stop);
  if (verifies() && explorer_.decision()) {
    begin_verifying();
    pursue(
        *verifier_, engine, [this] { return left(); }, stop);
  }
  run_.interrupted = stop.stop_requested();
}

double TuneRunner::left() const { return budget_ - to_seconds(clock_.now() - begin_); }

// Reserves time for PyTorch's loader: its starts take longer, and the answer depends on them.
double TuneRunner::left_to_explore() const {
  constexpr double kForVerifying = 0.6;
  const bool may_verify = verifies() && explorer_.decision();
  return left() - (may_verify ? kForVerifying * budget_ : 0.0);
}

void TuneRunner::take_known(Tuner& tuner, bool only_pytorch) {
  for (const CellResult& cell : run_.cells) {
    const bool is_wanted = !verifies() || is_pytorch(cell) == only_pytorch;
    if (has_result(cell) && is_wanted) tuner.add(cell, 0.0);
  }
}

void TuneRunner::begin_verifying() {
  TunerOptions options = options_for(cells_.present);
  options.predict = transferred(explorer_.predictions());
  const std::size_t best = explorer_.decision()->recommended.candidate;
  verifier_.emplace(cells_.finalists, std::vector<Settings>{cells_.finalists[best].settings},
                    options);
  take_known(*verifier_, true);
  events_.on_verify();
}

void TuneRunner::pursue(Tuner& tuner, CellEngine& engine, const std::function<double()>& left,
                        const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const std::optional<StartRequest> request = tuner.next(left());
    if (!request) break;
    measure(tuner, *request, engine, stop);
  }
}

void TuneRunner::measure(Tuner& tuner, const StartRequest& request, CellEngine& engine,
                         const std::stop_token& stop) {
  CellResult& cell = cell_with(run_, request.settings);
  const double before = left();
  events_.on_begin({request, cell, tuner, before});
  const std::size_t starts = cell.repeats.size();
  measure_start(cell, engine, config_.measure, stop);
  if (stop.stop_requested()) return;
  if (cell.repeats.size() > starts) cell.repeats.back().round = request.round;
  guard_.add_prediction(cell);
  tuner.add(cell, before - left());
  events_.on_end({request, cell, tuner, left()});
}

void take_earlier_cells(RunResult& run, const RunResult& earlier) {
  for (const CellResult& cell : earlier.cells) {
    if (!has_result(cell)) continue;
    const auto same = std::find_if(run.cells.begin(), run.cells.end(), [&](const CellResult& own) {
      return own.outcome == Outcome::kPending && own.settings == cell.settings;
    });
    const bool is_new = same == run.cells.end();
    CellResult& taken = is_new ? run.cells.emplace_back() : *same;
    const std::size_t index = is_new ? run.cells.size() - 1 : taken.index;
    taken = cell;
    taken.index = index;
  }
}

}  // namespace feedrate
