// SPDX-License-Identifier: Apache-2.0
// The dataset of a sweep in every format of its cells: made, converted and checked before anything
// is measured.
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

/// Throws ConfigError if the dataset does not exist and the configuration does not say how to make
/// it, or if its format is unknown. A damaged one fails its cells later.
void require_dataset(const DatasetConfig& config);

/// The datasets by catalog_name(). Makes a missing dataset if the configuration says how, converts
/// missing formats into the cache next to it, and stages once, with progress on console.err. If
/// staging fails, only its cells fail. Differences of a copy from the dataset are added to
/// `warnings`. Throws ConfigError if the cache cannot be written, or if damaged records make the
/// formats differ; Cancelled on Ctrl-C.
[[nodiscard]] std::map<std::string, SweepDataset> prepare_datasets(
    const SweepConfig& config, const std::vector<Cell>& plan, Console& console,
    std::vector<std::string>& warnings);

}  // namespace feedrate
