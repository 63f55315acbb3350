// SPDX-License-Identifier: Apache-2.0
#include "analysis/staging.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "analysis/noise.h"
#include "core/format.h"

namespace feedrate {
namespace {

bool are_alike(const CellResult& cell, const CellResult& chosen, bool but_cache) {
  return std::all_of(cell.settings.begin(), cell.settings.end(), [&](const Setting& setting) {
    if (setting.name == "staging" || (but_cache && setting.name == "cache")) return true;
    const SettingValue* const other = find_setting(chosen.settings, setting.name);
    return other != nullptr && *other == setting.value;
  });
}

const CellResult* find_cell(const RunResult& run, const CellResult& chosen,
                            const std::string& staging, bool but_cache) {
  const CellResult* found = nullptr;
  for (const CellResult& cell : run.cells) {
    const bool is_wanted = cell.outcome == Outcome::kOk && rate_of(cell) > 0.0 &&
                           text_of(cell.settings, "staging") == staging &&
                           are_alike(cell, chosen, but_cache);
    if (!is_wanted) continue;
    if (are_alike(cell, chosen, false)) return &cell;
    if (found == nullptr) found = &cell;
  }
  return found;
}

std::optional<double> epoch_of(const CellResult& cell) {
  const double* const batches = find_metric(cell.metrics, "batches_per_epoch");
  if (batches == nullptr || !(*batches > 0.0)) return std::nullopt;
  return *batches * global_batch_size(cell) / rate_of(cell);
}

std::string seconds_text(double seconds) { return format_value(seconds, Unit::kSeconds); }

}  // namespace

double break_even_epochs(const StagingGain& gain) {
  const double saved = gain.epoch_without - gain.epoch_with;
  return saved > 0.0 ? gain.staging_time / saved : std::numeric_limits<double>::infinity();
}

std::string staging_sentence(const StagingGain& gain) {
  const char* const what = gain.staging == "ram" ? "copying the dataset to memory first"
                                                 : "copying the dataset to this node first";
  const double epochs = break_even_epochs(gain);
  if (!std::isfinite(epochs)) {
    return fmt::format(
        "staging={}: {} takes {} and does not pay off: an epoch takes {} with it and {} without",
        gain.staging, what, seconds_text(gain.staging_time), seconds_text(gain.epoch_with),
        seconds_text(gain.epoch_without));
  }
  return fmt::format("staging={}: {} takes {} and pays off after {:.1f} epochs of {} instead of {}",
                     gain.staging, what, seconds_text(gain.staging_time), epochs,
                     seconds_text(gain.epoch_with), seconds_text(gain.epoch_without));
}

std::vector<StagingGain> staging_gains(const RunResult& run, const CellResult& chosen) {
  std::vector<StagingGain> gains;
  for (const char* const staging : {"copy", "ram"}) {
    const bool in_memory =
        std::string_view(staging) == "ram" || text_of(chosen.settings, "staging") == "ram";
    const CellResult* const without = find_cell(run, chosen, "none", in_memory);
    const CellResult* const with = find_cell(run, chosen, staging, in_memory);
    if (without == nullptr || with == nullptr) continue;
    const double* const time = find_metric(with->metrics, "staging_time");
    const std::optional<double> epoch_without = epoch_of(*without);
    const std::optional<double> epoch_with = epoch_of(*with);
    if (time == nullptr || !epoch_without || !epoch_with) continue;
    gains.push_back({staging, *time, *epoch_without, *epoch_with});
  }
  return gains;
}

}  // namespace feedrate
