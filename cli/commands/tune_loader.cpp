// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/tune_loader.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "calibration/kept_profile.h"
#include "cli/commands/calibrate.h"
#include "core/error.h"
#include "engines/torch/torch_engine.h"
#include "host/cpu.h"
#include "plan/plan.h"

namespace feedrate {
namespace {

// What is explored with these costs is verified without them.
constexpr double kGoodEnough = 0.05;
// As many, at some seconds a start, are measured in the time that a calibration takes.
constexpr std::size_t kFewCells = 24;

// What PyTorch's DataLoader can load of a sweep.
struct InPyTorch {
  TorchNeeds needs;
  std::size_t cells = 0;
};

void set_axis(SweepConfig& config, const std::string& name, const std::string& value) {
  override_axis(config, {name, {value}});
}

// Nothing where it can load no cell.
std::optional<InPyTorch> in_pytorch(SweepConfig config) {
  set_axis(config, "engine", "torch");
  try {
    const std::vector<Cell> plan = make_plan(config, {{}, static_cast<std::size_t>(usable_cpus())});
    const auto cells = std::count_if(plan.begin(), plan.end(),
                                     [](const Cell& cell) { return cell.skip_reason.empty(); });
    const std::optional<TorchNeeds> needs = torch_needs(config, plan);
    if (!needs) return std::nullopt;
    return InPyTorch{all_required(*needs), static_cast<std::size_t>(cells)};
  } catch (const ConfigError&) {  // Every cell is skipped.
    return std::nullopt;
  }
}

std::optional<TorchRuntime> find_pytorch(const std::optional<InPyTorch>& pytorch,
                                         Console& console) {
  if (!pytorch) {
    console.err << "PyTorch's DataLoader cannot run any cell of this sweep: rates are those of "
                   "feedrate's native loader\n";
    return std::nullopt;
  }
  try {
    return find_torch(pytorch->needs, std::chrono::minutes(2), console.stop);
  } catch (const ConfigError& error) {
    console.err << fmt::format(
        "{}\nRates are those of feedrate's native loader; PyTorch's DataLoader needs more "
        "workers.\n",
        error.what());
    return std::nullopt;
  }
}

bool has_profile(const SweepConfig& config) {
  const auto emulate = std::find_if(config.axes.begin(), config.axes.end(),
                                    [](const Axis& axis) { return axis.name == "emulate"; });
  return std::any_of(emulate->values.begin(), emulate->values.end(),
                     [](const SettingValue& value) { return !to_string(value).empty(); });
}

// Measured once for this machine, torch and pipeline. Nothing where that does not pay, or settle.
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
  const std::optional<InPyTorch> pytorch = in_pytorch(config);
  const std::optional<TorchRuntime> runtime = find_pytorch(pytorch, console);
  if (!runtime) return false;
  if (has_profile(config)) return true;
  const auto profile = profile_for(config, pytorch->cells, *runtime, console);
  if (!profile) {
    set_axis(config, "engine", "torch");
    return false;
  }
  set_axis(config, "emulate", profile->string());
  return true;
}

}  // namespace feedrate
