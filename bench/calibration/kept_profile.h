// SPDX-License-Identifier: Apache-2.0
// Caches measured cost profiles in files, one per machine, torch version and pipeline. Pure
// functions, except for kept_profile().
#pragma once
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "bench/plan/config.h"
#include "bench/plan/cost_profile.h"
#include "core/host/slurm.h"

namespace feedrate {

/// The cache folder: $XDG_CACHE_HOME/feedrate, else ~/.cache/feedrate; without either variable
/// feedrate-results/.cache.
[[nodiscard]] std::filesystem::path cache_folder(
    const EnvironmentLookup& lookup = environment_variable);

/// A text of everything that the costs depend on: machine, versions, dataset with its format,
/// transforms and batch size.
[[nodiscard]] std::string profile_key(const SweepConfig& config, const std::string& machine,
                                      const std::string& versions);

/// Returns "cost-profile-<digest of the key>.yaml".
[[nodiscard]] std::string profile_file_name(const std::string& key);

/// The profile in `folder` for this machine and these versions of torch and Python whose loader
/// costs settled within the fewest seconds, if at most `seconds`. Its versions are set to
/// `versions`, and its figures name its file.
[[nodiscard]] std::optional<CostProfile> kept_loader_costs(const std::filesystem::path& folder,
                                                           const std::string& machine,
                                                           const std::string& versions,
                                                           double seconds);

/// Returns `file` if it holds a readable profile; otherwise writes the result of `make` to it.
/// Returns nothing if `make` does. Throws SystemError.
[[nodiscard]] std::optional<std::filesystem::path> kept_profile(
    const std::filesystem::path& file, const std::function<std::optional<CostProfile>()>& make);

}  // namespace feedrate
