// SPDX-License-Identifier: Apache-2.0
// Where a cost profile is kept that a tune measured once: for this machine, this torch and this
// pipeline, so that another of them has another file. Pure functions but for kept_profile().
#pragma once
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "bench/plan/config.h"
#include "bench/plan/cost_profile.h"
#include "core/host/slurm.h"

namespace feedrate {

/// Of what can be made again: $XDG_CACHE_HOME/feedrate, else ~/.cache/feedrate; without either
/// feedrate-results/.cache.
[[nodiscard]] std::filesystem::path cache_folder(
    const EnvironmentLookup& lookup = environment_variable);

/// All that a profile's costs depend on: machine, versions, dataset with its format, transforms and
/// batch size.
[[nodiscard]] std::string profile_key(const SweepConfig& config, const std::string& machine,
                                      const std::string& versions);

/// "cost-profile-<digest of the key>.yaml".
[[nodiscard]] std::string profile_file_name(const std::string& key);

/// Of the profiles in `folder` that are of this machine and these versions of torch and Python the
/// one that knows the loader's own costs best, if it knows them within `seconds`. Its versions are
/// these, its figures are its file's name.
[[nodiscard]] std::optional<CostProfile> kept_loader_costs(const std::filesystem::path& folder,
                                                           const std::string& machine,
                                                           const std::string& versions,
                                                           double seconds);

/// `file`, if a profile is in it that can be read; else what `make` measures is written there.
/// Nothing where `make` has nothing. Throws SystemError.
[[nodiscard]] std::optional<std::filesystem::path> kept_profile(
    const std::filesystem::path& file, const std::function<std::optional<CostProfile>()>& make);

}  // namespace feedrate
