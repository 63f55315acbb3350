// SPDX-License-Identifier: Apache-2.0
// The dataset of a sweep in every format that its cells name: made, converted and looked at before
// anything is measured.
#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "bench/plan/config.h"
#include "bench/plan/plan.h"
#include "core/host/console.h"
#include "formats/datasets/sweep_dataset.h"

namespace feedrate {

/// Throws ConfigError if there is no dataset and the configuration does not say how to make one, or
/// if it is of no known format. A damaged one fails its cells later.
void require_dataset(const DatasetConfig& config);

/// By catalog_name(). Makes the dataset where the configuration says how and nothing is there,
/// converts what is missing into the cache beside it, then stages what cells want staged, once,
/// with progress on console.err. A dataset that cannot be staged is a problem of its cells only. In
/// what a copy differs from the dataset is added to `doubts`. Throws ConfigError if the cache
/// cannot be written, or if damaged records make its formats hold different ones; Cancelled on
/// Ctrl-C.
[[nodiscard]] std::map<std::string, SweepDataset> prepare_datasets(
    const SweepConfig& config, const std::vector<Cell>& plan, Console& console,
    std::vector<std::string>& warnings);

}  // namespace feedrate
