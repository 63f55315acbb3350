// SPDX-License-Identifier: Apache-2.0
// When copying the dataset first pays: cells with dataset.staging beside the same settings without.
// Pure functions; any thread.
#pragma once
#include <string>
#include <vector>

#include "core/result.h"

namespace feedrate {

/// Seconds all of them.
struct StagingGain {
  std::string staging;         ///< "copy", "ram"
  double staging_time = 0.0;   ///< once
  double epoch_without = 0.0;  ///< an epoch from where the dataset is
  double epoch_with = 0.0;     ///< and one from the copy
};

/// Epochs after which the copy has paid for itself: staging_time / (epoch_without - epoch_with);
/// infinity where epochs from the copy are not shorter.
[[nodiscard]] double break_even_epochs(const StagingGain& gain);

/// "copying first takes 12.4 s and pays after 3.2 epochs: …"
[[nodiscard]] std::string staging_sentence(const StagingGain& gain);

/// One for each way of staging that was measured with the settings of `chosen`, whichever of them
/// it has itself, and also without. In memory `cache` may differ, since nothing is cold there.
[[nodiscard]] std::vector<StagingGain> staging_gains(const RunResult& run,
                                                     const CellResult& chosen);

}  // namespace feedrate
