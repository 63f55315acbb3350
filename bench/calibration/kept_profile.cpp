#include "bench/calibration/kept_profile.h"

#include <cstdint>

#include <fmt/format.h>

#include "bench/calibration/sample_sweep.h"
#include "bench/engines/torch/job.h"
#include "bench/plan/cell_spec.h"
#include "bench/plan/plan.h"
#include "core/error.h"
#include "report/durable_file.h"

namespace feedrate {
namespace {

// FNV-1a, 64 bits: http://www.isthe.com/chongo/tech/comp/fnv.
std::uint64_t digest(const std::string& text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  }
  return hash;
}

bool can_be_read(const std::filesystem::path& file) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) return false;
  try {
    static_cast<void>(load_cost_profile(file));
    return true;
  } catch (const ConfigError&) {  // Of another version of feedrate.
    return false;
  }
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
  const SweepConfig cut = sample_sweep(config);
  // The job of PyTorch's child has the dataset, the transforms and the batch.
  CellSpec cell = make_cell_spec(make_plan(cut, {}).front().settings, cut.measure.seed);
  cell.engine = EngineKind::kTorch;
  const TorchDataset dataset{TorchRecords{std::filesystem::absolute(cut.dataset.path), cell.format,
                                          cut.pipeline, cut.dataset.skip_damaged},
                             std::nullopt};
  return fmt::format("{}\n{}\n{}\n", machine, versions, torch_job(cell, dataset, {}, 0));
}

std::string profile_file_name(const std::string& key) {
  return fmt::format("cost-profile-{:016x}.yaml", digest(key));
}

std::optional<std::filesystem::path> kept_profile(
    const std::filesystem::path& file, const std::function<std::optional<CostProfile>()>& make) {
  if (can_be_read(file)) return file;
  const std::optional<CostProfile> made = make();
  if (!made) return std::nullopt;
  std::filesystem::create_directories(file.parent_path());
  replace_file(file, to_yaml(*made));
  return file;
}

}  // namespace feedrate
