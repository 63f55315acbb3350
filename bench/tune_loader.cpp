// SPDX-License-Identifier: Apache-2.0
#include "bench/tune_loader.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "bench/calibrate_torch.h"
#include "bench/calibration/kept_profile.h"
#include "bench/engine_auto.h"

namespace feedrate {
namespace {

// Required precision of the costs; verification does not use them.
constexpr double kGoodEnough = 0.05;
// Measuring this many cells takes as long as a calibration.
constexpr std::size_t kFewCells = 24;

void set_axis(SweepConfig& config, const std::string& name, const std::string& value) {
  override_axis(config, {name, {value}});
}

// The profile for this machine, torch and pipeline, calibrated once. Nothing if calibration does
// not pay or does not settle.
std::optional<std::filesystem::path> profile_for(const SweepConfig& config, std::size_t cells,
                                                 const TorchRuntime& runtime, Console& console) {
  const std::string machine = calibrated_machine();
  const std::string key = profile_key(config, machine, runtime.versions);
  const std::filesystem::path file = cache_folder() / profile_file_name(key);
  return kept_profile(file, [&]() -> std::optional<CostProfile> {
    if (cells <= kFewCells) {
      console.err << "few settings: exploring with PyTorch's DataLoader directly\n";
      return std::nullopt;
    }
    console.err << fmt::format(
        "calibrating once for {}: takes some minutes, not counted in the budget; run nothing else "
        "on the machine. Saved in {}\n",
        runtime.versions, file.string());
    CalibrationNeeds needs{.share = kGoodEnough};
    needs.known = [&](double seconds) {
      return kept_loader_costs(cache_folder(), machine, runtime.versions, seconds);
    };
    Calibration calibration = calibrate_torch(&config, runtime, needs, console);
    if (calibration.unsettled.empty()) return std::move(calibration.profile);
    console.err << fmt::format(
        "{}\nNothing is emulated: all settings are measured with PyTorch's DataLoader.\n",
        calibration.unsettled);
    return std::nullopt;
  });
}

}  // namespace

bool choose_tune_loader(SweepConfig& config, Console& console) {
  if (config.set.contains("engine")) return false;
  const FoundTorch found = find_torch_for(config, std::vector<Axis>{}, console.stop);
  if (!found.runtime) {
    console.err << fmt::format("{}\nRates are those of feedrate's native loader.\n", found.problem);
    return false;
  }
  if (names_profile(config)) return true;
  const auto profile = profile_for(config, found.cells, *found.runtime, console);
  if (!profile) {
    set_axis(config, "engine", "torch");
    return false;
  }
  set_axis(config, "emulate", profile->string());
  return true;
}

}  // namespace feedrate
