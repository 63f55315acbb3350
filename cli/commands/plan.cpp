// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <exception>
#include <map>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bench/dataset_catalog.h"
#include "bench/engine_auto.h"
#include "bench/environment.h"
#include "bench/plan/cell_protocol.h"
#include "bench/plan/knobs.h"
#include "bench/plan/limit_cells.h"
#include "bench/plan/memory_guard.h"
#include "bench/time_estimate.h"
#include "bench/workbench.h"
#include "cli/commands/plan_json.h"
#include "cli/commands/plan_shards.h"
#include "cli/commands/sweep.h"
#include "cli/terminal_width.h"
#include "core/error.h"
#include "core/format.h"
#include "core/host/cpu.h"
#include "core/host/slurm.h"
#include "core/text_table.h"
#include "formats/datasets/data_text.h"
#include "formats/registry.h"
#include "formats/storage.h"

namespace feedrate {
namespace {

// Columns to drop on a narrow terminal, in this order.
constexpr std::array<std::string_view, 3> kUnimportant{"pinned", "memory", "time"};

constexpr std::size_t kMostRows = 40;
constexpr double kProbeSeconds = 20.0;

class PlanView {
 public:
  PlanView(const SweepConfig& config, const MemoryGuard& guard, const TimeEstimate& estimate)
      : measure_(config.measure), guard_(guard), estimate_(estimate), axes_(varying_axes(config)) {
    table_.add_column("cell", Align::kRight);
    for (const std::string& axis : axes_) table_.add_column(axis, Align::kRight);
    table_.add_column("time", Align::kRight);
    table_.add_column("memory", Align::kRight);
    table_.add_column("pinned", Align::kRight);
    table_.add_column("", Align::kLeft);
  }

  void add(const PlannedCell& planned) {
    const std::string& reason = planned.skip_reason;
    ++(reason.empty() ? running_ : skipped_);
    if (!reason.empty()) {
      ++reasons_[reason];
      return;
    }
    std::vector<std::string> row{std::to_string(planned.cell->index)};
    for (const std::string& axis : axes_) {
      row.push_back(planned.cell->settings.text(find_knob(axis).id));
    }
    const std::vector<std::string> rest = costs(planned);
    row.insert(row.end(), rest.begin(), rest.end());
    if (running_ <= kMostRows) table_.add_row(std::move(row));
  }

  void print(std::ostream& out) {
    const std::vector<std::string> left_out = table_.fit(terminal_width(), kUnimportant);
    table_.print(out, TableStyle::kTerminal);
    if (running_ > kMostRows) {
      out << fmt::format("{} more cells: --json lists them.\n", running_ - kMostRows);
    }
    if (!left_out.empty()) {
      out << fmt::format("Not shown, to fit the terminal: {}.\n", fmt::join(left_out, ", "));
    }
    out << fmt::format("\n{} cells to measure, {} skipped; {} x {} measured steps each.\n",
                       running_, skipped_, to_string(measure_.repeats), measure_.steps);
    for (const auto& [reason, cells] : reasons_) {
      out << fmt::format("{} skipped: {}\n", cells, reason);
    }
    print_time(out);
    print_memory(out);
    print_warnings(out);
  }

 private:
  std::vector<std::string> costs(const PlannedCell& planned) {
    const CellSettings& settings = planned.cell->settings;
    const std::optional<double> seconds = planned.estimated ? planned.estimated : planned.seconds;
    const std::optional<MemoryNeed>& need = planned.need;
    note_workers(static_cast<std::size_t>(settings.count(KnobId::num_workers)),
                 ranks_on_a_node(settings));
    seconds_ += seconds.value_or(0.0);
    if (!seconds) ++unknown_;
    if (!planned.estimated) ++not_estimated_;
    if (need) raise_peaks(*need);
    return {seconds ? fmt::format("{}{}", planned.estimated ? "" : "≥ ",
                                  format_value(*seconds, Unit::kSeconds))
                    : "unknown",
            need ? bytes(need->host) : kMissing, need ? bytes(need->pinned) : kMissing,
            limit_note(*planned.cell)};
  }

  void note_workers(std::size_t workers, std::size_t ranks) {
    if (workers * ranks <= most_workers_ * their_ranks_) return;
    most_workers_ = workers;
    their_ranks_ = ranks;
  }

  static std::string bytes(std::uint64_t number) {
    return format_value(static_cast<double>(number), Unit::kBytes);
  }

  void raise_peaks(const MemoryNeed& need) {
    if (!largest_) largest_.emplace();
    largest_->host = std::max(largest_->host, need.host);
    largest_->shm = std::max(largest_->shm, need.shm);
    largest_->pinned = std::max(largest_->pinned, need.pinned);
    largest_->device = std::max(largest_->device, need.device);
    largest_->descriptors = std::max(largest_->descriptors, need.descriptors);
  }

  void print_time(std::ostream& out) const {
    const std::size_t least = measure_.repeats.least, most = measure_.repeats.most;
    out << fmt::format("Time: {}{}", time_text(),
                       estimate_.probes > 0
                           ? fmt::format(", from {} short starts", estimate_.probes)
                           : " (steps of the trainer, without loading)");
    if (estimate_.dataset > 0.0) {
      out << fmt::format("; making the dataset takes about {} more",
                         format_duration(estimate_.dataset));
    }
    if (most > least) {
      out << fmt::format("; with {} repeats of each cell, or up to {} if noise requires more",
                         least, most);
    }
    out << ".\n";
    if (unknown_ > 0) {
      out << fmt::format("The time of {} {} is known only after a run.\n", unknown_,
                         unknown_ == 1 ? "cell" : "cells");
    }
    if (!estimate_.problem.empty()) {
      out << fmt::format("A short start failed: {}\n", estimate_.problem);
    }
  }

  [[nodiscard]] std::string time_text() const {
    if (unknown_ == running_ && running_ > 0) return "unknown";
    return fmt::format("{} {}", not_estimated_ == 0 ? "about" : "at least",
                       format_duration(seconds_));
  }

  void print_memory(std::ostream& out) const {
    if (!largest_) {
      out << "Memory: not known until the dataset exists and can be read.\n";
      return;
    }
    const AvailableMemory& available = guard_.available();
    const auto of = [](const auto& limit) {
      return limit ? fmt::format(" of {}", bytes(*limit)) : std::string();
    };
    out << fmt::format(
        "Memory: up to {}{}, {} of it pinned; /dev/shm {}{}; batches on the device {}; open files "
        "{}{}.\n",
        bytes(largest_->host), of(available.host), bytes(largest_->pinned), bytes(largest_->shm),
        of(available.shm), bytes(largest_->device), largest_->descriptors,
        available.descriptors ? fmt::format(" of {}", *available.descriptors) : "");
  }

  void print_warnings(std::ostream& out) const {
    for (const std::string& warning : worker_warnings(most_workers_, their_ranks_)) {
      out << fmt::format("Warning: {}\n", warning);
    }
  }

  const MeasureConfig& measure_;
  const MemoryGuard& guard_;
  const TimeEstimate& estimate_;
  const std::vector<std::string> axes_;
  TextTable table_;
  std::size_t running_ = 0;
  std::size_t skipped_ = 0;
  std::map<std::string, std::size_t> reasons_;
  std::size_t unknown_ = 0;
  std::size_t not_estimated_ = 0;
  std::optional<MemoryNeed> largest_;
  std::size_t most_workers_ = 0;
  std::size_t their_ranks_ = 1;
  double seconds_ = 0.0;
};

std::vector<PlannedCell> with_costs(const std::vector<Cell>& plan, const MeasureConfig& measure,
                                    const MemoryGuard& guard, const TimeEstimate& estimate) {
  std::vector<PlannedCell> cells;
  for (const Cell& cell : plan) {
    PlannedCell& planned = cells.emplace_back(PlannedCell{&cell, cell.skip_reason, {}, {}, {}});
    if (!estimate.cells.empty()) planned.estimated = estimate.cells[cells.size() - 1];
    if (!planned.skip_reason.empty()) continue;
    const CellSpec spec = make_cell_spec(cell.settings, measure.seed);
    planned.need = guard.need(spec);
    if (planned.need) planned.skip_reason = why_exceeds(*planned.need, guard.available());
    planned.seconds = least_seconds(spec, measure);
  }
  return cells;
}

std::string left_out_of(const DatasetConfig& dataset) try {
  const bool exists = !dataset.is_own() && is_there(dataset.path);
  return exists ? open_dataset(dataset.path)->left_out() : std::string();
} catch (const Error&) {
  return {};
}

void warn(const SweepConfig& config, const std::string& problem, std::ostream& err) {
  if (const std::string left_out = left_out_of(config.dataset); !left_out.empty()) {
    err << left_out_text(config.dataset.path, left_out) << '\n';
  }
  if (!problem.empty()) err << fmt::format("Cells will fail: {}\n", problem);
}

}  // namespace

int run_plan(const SweepOptions& options, const NodePlan& nodes, Console& console) {
  SweepConfig config = load_sweep(options.config, options.overrides);
  // the cluster's nodes choose the engine
  if (!nodes.sbatch) {
    config.engine_reason = choose_engine(config, parse_only(options.overrides), console.stop);
  }
  const std::optional<int> partition_cpus =
      nodes.sbatch ? slurm_partition_cpus() : std::optional<int>();
  std::vector<Cell> plan =
      sweep_plan(config, options.overrides, {}, partition_cpus.value_or(usable_cpus()));
  std::string problem;
  const MemoryGuard guard = make_memory_guard(config, problem);
  if (nodes.sbatch) {  // the submitting machine may lack the nodes' GPU and Python
    warn(config, problem, console.err);
    if (!config.dataset.is_own()) require_dataset(config.dataset);
    console.out << plan_script(options, config, plan, nodes, partition_cpus);
    return kExitOk;
  }
  std::exception_ptr missing;  // rethrown after the plan is printed
  try {
    plan = Workbench(config, plan, {}, console).plan();
  } catch (const Error&) {
    missing = std::current_exception();
  }
  TimeEstimate estimate;
  if (options.probe && !missing && !nodes.is_wanted()) {
    estimate = estimate_time(config, plan, kProbeSeconds, console);
  }
  const std::vector<PlannedCell> cells = with_costs(plan, config.measure, guard, estimate);
  if (options.json) {
    print_plan_json(console.out, config, cells, estimate.dataset);
  } else {
    PlanView view(config, guard, estimate);
    for (const PlannedCell& planned : cells) view.add(planned);
    if (!config.question.empty()) console.out << config.question << "\n\n";
    if (!config.engine_reason.empty()) {
      console.out << fmt::format("engine: {} (auto; {})\n\n", engine_of(config),
                                 config.engine_reason);
    }
    view.print(console.out);
    if (nodes.is_wanted()) print_shards(console.out, config, plan, nodes);
  }
  warn(config, problem, console.err);
  console.out.flush();
  if (missing) std::rethrow_exception(missing);
  return kExitOk;
}

}  // namespace feedrate
