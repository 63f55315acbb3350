// SPDX-License-Identifier: Apache-2.0
#include "bench/calibration/kept_profile.h"

#include <cstdint>
#include <string_view>

#include <fmt/format.h>

#include "bench/calibration/sample_sweep.h"
#include "bench/engines/torch/job.h"
#include "bench/plan/cell_spec.h"
#include "bench/plan/plan.h"
#include "core/error.h"
#include "core/fnv1a.h"
#include "core/host/durable_file.h"

namespace feedrate {
namespace {

std::optional<CostProfile> read_kept(const std::filesystem::path& file) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) return std::nullopt;
  try {
    return load_cost_profile(file);
  } catch (const ConfigError&) {  // The file is of another version of feedrate.
    return std::nullopt;
  }
}

// Returns "torch 2.15.0, Python 3.11.2", without the image libraries.
std::string_view loader_versions(std::string_view versions) {
  return versions.substr(0, versions.find(", ", versions.find(", ") + 1));
}

}  // namespace

std::filesystem::path cache_folder(const EnvironmentLookup& lookup) {
  if (const auto xdg = lookup("XDG_CACHE_HOME"); xdg && !xdg->empty()) {
    return std::filesystem::path(*xdg) / "feedrate";
  }
  if (const auto home = lookup("HOME"); home && !home->empty()) {
    return std::filesystem::path(*home) / ".cache/feedrate";
  }
  return "feedrate-results/.cache";
}

std::string profile_key(const SweepConfig& config, const std::string& machine,
                        const std::string& versions) {
  const SweepConfig sweep = sample_sweep(config);
  // PyTorch's job contains the dataset, the transforms and the batch size.
  CellSpec cell = make_cell_spec(make_plan(sweep, {}).front().settings, sweep.measure.seed);
  cell.engine = EngineKind::kTorch;
  const TorchDataset dataset{TorchRecords{std::filesystem::absolute(sweep.dataset.path),
                                          cell.format, sweep.pipeline, sweep.dataset.skip_damaged},
                             std::nullopt};
  return fmt::format("{}\n{}\n{}\n", machine, versions, torch_job(cell, dataset, {}, 0));
}

std::string profile_file_name(const std::string& key) {
  return fmt::format("cost-profile-{:016x}.yaml", fnv1a(key));
}

std::optional<CostProfile> kept_loader_costs(const std::filesystem::path& folder,
                                             const std::string& machine,
                                             const std::string& versions, double seconds) {
  std::optional<CostProfile> best;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    std::optional<CostProfile> kept = read_kept(entry.path());
    if (!kept || kept->machine != machine ||
        loader_versions(kept->versions) != loader_versions(versions)) {
      continue;
    }
    if (kept->settled_within > (best ? best->settled_within : seconds)) continue;
    kept->figures = {fmt::format("the loader costs are those of {}", entry.path().string())};
    best = std::move(kept);
  }
  if (best) best->versions = versions;
  return best;
}

std::optional<std::filesystem::path> kept_profile(
    const std::filesystem::path& file, const std::function<std::optional<CostProfile>()>& make) {
  if (read_kept(file)) return file;
  const std::optional<CostProfile> made = make();
  if (!made) return std::nullopt;
  std::filesystem::create_directories(file.parent_path());
  replace_file(file, to_yaml(*made));
  return file;
}

}  // namespace feedrate
