// SPDX-License-Identifier: Apache-2.0
// feedrate data verify A B: checks whether two datasets deliver the same images.
#pragma once
#include <filesystem>

#include "core/host/console.h"

namespace feedrate {

struct DataVerifyOptions {
  std::filesystem::path a;
  std::filesystem::path b;
  unsigned threads = 0;  ///< 0: one per CPU
};

/// Returns kExitOk if all records deliver identical bytes or pixels with the same labels, else
/// kExitCellFailed.
[[nodiscard]] int run_data_verify(const DataVerifyOptions& options, Console& console);

}  // namespace feedrate
