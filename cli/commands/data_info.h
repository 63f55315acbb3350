// SPDX-License-Identifier: Apache-2.0
// feedrate data info PATH: describes a dataset.
#pragma once
#include <cstddef>
#include <filesystem>

#include "core/host/console.h"

namespace feedrate {

struct DataInfoOptions {
  std::filesystem::path path;
  std::size_t sample = 1000;  ///< number of records to check, spread over all
};

/// Returns kExitCellFailed if sampled records are damaged; stderr names them.
[[nodiscard]] int run_data_info(const DataInfoOptions& options, Console& console);

}  // namespace feedrate
