// SPDX-License-Identifier: Apache-2.0
// feedrate data verify A B: whether two datasets deliver the same images.
#pragma once
#include <filesystem>

#include "core/host/console.h"

namespace feedrate {

struct DataVerifyOptions {
  std::filesystem::path a;  ///< A: a dataset of any format
  std::filesystem::path b;  ///< B: another, of the same or another format
  unsigned threads = 0;     ///< --threads; 0: one for each CPU
};

/// kExitOk if all records deliver identical bytes or pixels with the same labels, otherwise
/// kExitCellFailed.
[[nodiscard]] int run_data_verify(const DataVerifyOptions& options, Console& console);

}  // namespace feedrate
