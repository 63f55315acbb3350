#include "bench/plan/plan.h"

#include <algorithm>

#include <fmt/format.h>

#include "bench/commands/sweep.h"
#include "bench/engines/cell_protocol.h"
#include "bench/environment.h"
#include "bench/sample_bytes.h"
#include "core/error.h"
#include "host/cpu.h"
#include "host/memory.h"
#include "report/format.h"
#include "report/text_table.h"

namespace feedrate {
namespace {

// The table, and the sums below it.
class PlanView {
 public:
  PlanView(const SweepConfig& config, std::size_t sample_bytes)
      : measure_(config.measure), sample_bytes_(sample_bytes), axes_(varying_axes(config)) {
    table_.add_column("cell", Align::kRight);
    for (const std::string& axis : axes_) table_.add_column(axis, Align::kRight);
    table_.add_column("time", Align::kRight);
    table_.add_column("memory", Align::kRight);
    table_.add_column("", Align::kLeft);
  }

  void add(const Cell& cell) {
    std::vector<std::string> row{std::to_string(cell.index)};
    for (const std::string& axis : axes_) {
      row.push_back(to_string(*find_setting(cell.settings, axis)));
    }
    const std::vector<std::string> rest =
        cell.skip_reason.empty() ? costs(cell)
                                 : std::vector<std::string>{"", "", "skipped: " + cell.skip_reason};
    row.insert(row.end(), rest.begin(), rest.end());
    table_.add_row(std::move(row));
    ++(cell.skip_reason.empty() ? running_ : skipped_);
  }

  void print(std::ostream& out) const {
    table_.print(out, TableStyle::kTerminal);
    out << fmt::format("\n{} cells to measure, {} skipped; {} x {} kept steps each.\n", running_,
                       skipped_, measure_.repeats, measure_.steps);
    print_time(out);
    print_memory(out);
    print_warnings(out);
  }

 private:
  std::vector<std::string> costs(const Cell& cell) {
    const CellSpec spec = make_cell_spec(cell.settings, measure_.seed);
    const CellEstimate cost = estimate(spec, measure_, sample_bytes_);
    most_workers_ = std::max(most_workers_, spec.loader.num_workers);
    seconds_ += cost.seconds_at_least.value_or(0.0);
    if (!cost.seconds_at_least) ++unknown_;
    largest_ = std::max(largest_, cost.batch_bytes);
    return {cost.seconds_at_least ? "≥ " + format_value(*cost.seconds_at_least, Unit::kSeconds)
                                  : "unknown",
            sample_bytes_ == 0 ? kMissing
                               : format_value(static_cast<double>(cost.batch_bytes), Unit::kBytes),
            ""};
  }

  void print_time(std::ostream& out) const {
    const bool is_known = unknown_ == 0 || unknown_ < running_;
    out << fmt::format(
        "Time: {} (the trainer's steps; the loader's share is what the sweep finds out), at most "
        "{} (cell_timeout_s).\n",
        is_known ? "at least " + format_duration(seconds_) : "unknown",
        format_duration(to_seconds(measure_.cell_timeout) *
                        static_cast<double>(running_ * measure_.repeats)));
    if (unknown_ > 0) {
      out << fmt::format("Only a run on the GPU tells how long the steps of {} {} take.\n",
                         unknown_, unknown_ == 1 ? "cell" : "cells");
    }
  }

  void print_memory(std::ostream& out) const {
    if (sample_bytes_ == 0) {
      out << "Memory: not known before the dataset is there and can be read.\n";
      return;
    }
    const auto available = static_cast<double>(read_memory_info().available);
    const auto largest = static_cast<double>(largest_);
    out << fmt::format("Memory: up to {} for batches; {} is available.\n",
                       format_value(largest, Unit::kBytes), format_value(available, Unit::kBytes));
    if (largest > available) out << "Warning: that is more than there is.\n";
  }

  void print_warnings(std::ostream& out) const {
    for (const std::string& warning : worker_warnings(most_workers_)) {
      out << fmt::format("Warning: {}\n", warning);
    }
  }

  const MeasureConfig& measure_;
  const std::size_t sample_bytes_;
  const std::vector<std::string> axes_;
  TextTable table_;
  std::size_t running_ = 0;
  std::size_t skipped_ = 0;
  std::size_t unknown_ = 0;  // Running, but nobody knows for how long.
  std::size_t largest_ = 0;
  std::size_t most_workers_ = 0;
  double seconds_ = 0.0;
};

}  // namespace

int run_plan(const SweepOptions& options, Console& console) {
  const SweepConfig config = load_sweep(options.config, options.overrides);
  std::string problem;
  PlanView view(config, sample_bytes(config, problem));
  for (const Cell& cell : make_plan(
           config, {parse_only(options.overrides), static_cast<std::size_t>(usable_cpus())})) {
    view.add(cell);
  }
  if (!config.question.empty()) console.out << config.question << "\n\n";
  view.print(console.out);
  if (!problem.empty()) console.err << fmt::format("Cells will fail: {}\n", problem);
  return kExitOk;
}

}  // namespace feedrate
