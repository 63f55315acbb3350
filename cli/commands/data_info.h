// SPDX-License-Identifier: Apache-2.0
// feedrate data info PATH: describes a dataset.
#pragma once
#include <cstddef>
#include <filesystem>

#include "core/host/console.h"

namespace feedrate {

struct DataInfoOptions {
  std::filesystem::path path;  ///< PATH: a dataset of any format
  std::size_t sample = 1000;   ///< --sample: number of records checked, spread over all
};

/// Returns kExitCellFailed if sampled records are damaged; stderr names them.
[[nodiscard]] int run_data_info(const DataInfoOptions& options, Console& console);

}  // namespace feedrate
