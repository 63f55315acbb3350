#include "bench/sweep_progress.h"

#include <algorithm>

#include <fmt/format.h>

#include "report/format.h"

namespace feedrate {
namespace {

constexpr std::size_t kMostNamed = 10;

std::vector<std::string> differing_settings(const std::vector<CellResult>& cells) {
  std::vector<std::string> names;
  if (cells.empty()) return names;
  for (std::size_t i = 0; i < cells.front().settings.size(); ++i) {
    const bool differs = std::any_of(cells.begin(), cells.end(), [&](const CellResult& cell) {
      return cell.settings[i] != cells.front().settings[i];
    });
    if (differs) names.push_back(cells.front().settings[i].name);
  }
  return names;
}

}  // namespace

SweepProgress::SweepProgress(Console& console, const std::vector<CellResult>& cells)
    : console_(console),
      start_(std::chrono::steady_clock::now()),
      axes_(differing_settings(cells)) {}

void SweepProgress::begin(const RunnerProgress& now) {
  if (!console_.err_is_terminal) return;
  console_.err << fmt::format("\r[{}/{}] {} …\033[K", now.done + 1, now.total, describe(*now.cell))
               << std::flush;
}

void SweepProgress::end(const RunnerProgress& now) {
  const double elapsed =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  const double left =
      elapsed / static_cast<double>(now.done) * static_cast<double>(now.total - now.done);
  const bool failed = now.cell->outcome == Outcome::kFailed;
  const double* rate =
      failed ? nullptr : find_metric(now.cell->repeats.back().metrics, "samples_per_second");
  console_.err << fmt::format(
      "{}[{}/{}] {}: {} · {} left{}\n", console_.err_is_terminal ? "\r" : "", now.done, now.total,
      describe(*now.cell),
      failed ? "failed: " + now.cell->reason
             : (rate ? format_value(*rate, Unit::kSamplesPerSecond) : std::string(kMissing)),
      format_duration(left), console_.err_is_terminal ? "\033[K" : "");
  console_.err.flush();
}

void SweepProgress::damaged(const std::string& what) {
  const std::lock_guard lock(mutex_);
  ++damaged_[what];
}

void SweepProgress::finish(const RunResult& run) {
  if (console_.err_is_terminal) console_.err << "\r\033[K";
  if (run.interrupted) console_.err << "interrupted: what is known is kept\n";
  const std::lock_guard lock(mutex_);
  if (damaged_.empty()) return;
  console_.err << fmt::format("{} damaged record{} (zeros instead):\n", damaged_.size(),
                              damaged_.size() == 1 ? "" : "s");
  std::size_t named = 0;
  for (const auto& [what, times] : damaged_) {
    if (named++ == kMostNamed) break;
    console_.err << "  " << what << '\n';
  }
  if (damaged_.size() > kMostNamed) {
    console_.err << fmt::format("  … and {} more\n", damaged_.size() - kMostNamed);
  }
}

std::string SweepProgress::describe(const CellResult& cell) const {
  std::string text;
  for (const std::string& axis : axes_) {
    const std::string value = to_string(*find_setting(cell.settings, axis));
    if (value.empty()) continue;
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", axis, value);
  }
  return text.empty() ? "the only cell" : text;
}

}  // namespace feedrate
