// SPDX-License-Identifier: Apache-2.0
#include "cli/tune_progress.h"

#include <algorithm>

#include <fmt/format.h>

#include "analysis/cell_text.h"
#include "analysis/tuner/recommendation.h"
#include "core/format.h"

namespace feedrate {

TuneProgress::TuneProgress(Console& console, const std::vector<Candidate>& candidates,
                           std::size_t probes, double budget_seconds)
    : console_(console), probes_(probes), varying_(varying_settings(candidates)) {
  console_.err << fmt::format("tune: {} candidate settings; budget {}, {} probes first\n",
                              candidates.size(), format_duration(budget_seconds), probes);
}

std::string TuneProgress::title(const TuneStep& step) const {
  const CellResult& cell = step.cell;
  const std::string stage =
      step.request.stage == Stage::kProbe
          ? fmt::format("{} {}/{}", to_string(step.request.stage), probed_, probes_)
          : std::string(to_string(step.request.stage));
  const char* const mock = setting_text(cell, "loader") == "cached"     ? " loader=cached"
                           : setting_text(cell, "trainer") == "discard" ? " trainer=discard"
                                                                        : "";
  return fmt::format("[{}] {}{}", stage, name_cell(cell, varying_), mock);
}

void TuneProgress::begin_verifying() {
  probed_ = 0;
  probes_ = 1;
  console_.err << "verifying with PyTorch's DataLoader\n";
}

void TuneProgress::begin(const TuneStep& step) {
  if (step.request.stage == Stage::kProbe) ++probed_;
  if (!console_.err_is_terminal) return;
  console_.err << fmt::format("\r{} …\033[K", title(step)) << std::flush;
}

void TuneProgress::end(const TuneStep& step) {
  const CellResult& cell = step.cell;
  const bool failed = cell.outcome == Outcome::kFailed;
  const double* const rate =
      failed ? nullptr : find_metric(cell.repeats.back().metrics, "samples_per_second");
  const std::string outcome = failed ? "failed: " + cell.reason
                              : rate ? format_value(*rate, Unit::kSamplesPerSecond)
                                     : std::string(kMissing);
  console_.err << fmt::format("{}{}: {}{} · {} left{}\n", console_.err_is_terminal ? "\r" : "",
                              title(step), outcome, standing(step.tuner),
                              format_duration(std::max(0.0, step.seconds_left)),
                              console_.err_is_terminal ? "\033[K" : "");
  console_.err.flush();
}

std::string TuneProgress::standing(const Tuner& tuner) const {
  const std::optional<Decision> decision = tuner.decision();
  if (!decision) return {};
  CellResult best;
  best.settings = tuner.candidates()[decision->recommended.candidate].settings;
  return fmt::format(" · best so far {}, confidence {:.0f} %", name_cell(best, varying_),
                     100.0 * decision->confidence);
}

}  // namespace feedrate
