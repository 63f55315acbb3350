// SPDX-License-Identifier: Apache-2.0
// feedrate data info PATH: what a dataset is.
#pragma once
#include <cstddef>
#include <filesystem>

#include "core/host/console.h"

namespace feedrate {

struct DataInfoOptions {
  std::filesystem::path path;  ///< PATH: a dataset of any format
  std::size_t sample = 1000;   ///< --sample: how many records are looked at, spread over all
};

/// kExitCellFailed if records of the sample are damaged; stderr names them.
[[nodiscard]] int run_data_info(const DataInfoOptions& options, Console& console);

}  // namespace feedrate
