// SPDX-License-Identifier: Apache-2.0
#include "cli/sweep_progress.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "analysis/cell_text.h"
#include "core/format.h"
#include "formats/datasets/data_text.h"

namespace feedrate {
namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::string describe_result(const CellResult& cell) {
  if (cell.outcome == Outcome::kFailed) return "failed: " + cell.reason;
  const double* rate = find_metric(cell.repeats.back().metrics, "samples_per_second");
  return rate ? format_value(*rate, Unit::kSamplesPerSecond) : std::string(kMissing);
}

std::string describe_time_between(const std::vector<double>& between) {
  const double sum = std::accumulate(between.begin(), between.end(), 0.0);
  return fmt::format(
      "feedrate's overhead between repeats: {} on average, {} at most",
      format_value(sum / static_cast<double>(between.size()), Unit::kSeconds),
      format_value(*std::max_element(between.begin(), between.end()), Unit::kSeconds));
}

}  // namespace

SweepProgress::SweepProgress(Console& console, const RunResult& run)
    : console_(console),
      start_(std::chrono::steady_clock::now()),
      varying_(varying_settings(run)) {}

void SweepProgress::begin(const RunnerProgress& now) {
  if (measured_ != decltype(measured_)()) between_.push_back(seconds_since(measured_));
  if (!console_.err_is_terminal) return;
  console_.err << fmt::format("\r[{}/{}] {} …\033[K", now.done + 1, now.total,
                              name_cell(*now.cell, varying_))
               << std::flush;
}

void SweepProgress::measured() { measured_ = std::chrono::steady_clock::now(); }

void SweepProgress::end(const RunnerProgress& now) {
  const double elapsed = seconds_since(start_);
  const double left =
      elapsed / static_cast<double>(now.done) * static_cast<double>(now.total - now.done);
  console_.err << fmt::format("{}[{}/{}] {}: {} · {} left{}\n",
                              console_.err_is_terminal ? "\r" : "", now.done, now.total,
                              name_cell(*now.cell, varying_), describe_result(*now.cell),
                              format_duration(left), console_.err_is_terminal ? "\033[K" : "");
  console_.err.flush();
}

void SweepProgress::finish(const RunResult& run, const std::vector<std::string>& damaged) {
  if (console_.err_is_terminal) console_.err << "\r\033[K";
  if (run.interrupted) console_.err << "interrupted; measured results are saved\n";
  if (!between_.empty()) console_.err << describe_time_between(between_) << '\n';
  list_records(console_.err, "damaged (replaced by zeros)", damaged);
}

}  // namespace feedrate
