// SPDX-License-Identifier: Apache-2.0
// The epochs after which staging pays off: cells with dataset.staging compared with the same
// settings without. Pure functions; any thread.
#pragma once
#include <string>
#include <vector>

#include "core/result.h"

namespace feedrate {

/// All times in seconds.
struct StagingGain {
  std::string staging;  ///< "copy", "ram"
  double staging_time = 0.0;
  double epoch_without = 0.0;  ///< an epoch from the original dataset
  double epoch_with = 0.0;     ///< an epoch from the copy
};

/// staging_time / (epoch_without - epoch_with); infinity if epochs from the copy are not shorter.
[[nodiscard]] double break_even_epochs(const StagingGain& gain);

/// "copying the dataset to memory first takes 12.4 s and pays off after 3.2 epochs …"
[[nodiscard]] std::string staging_sentence(const StagingGain& gain);

/// One per staging that was measured with the settings of `chosen`, which need not be staged
/// itself, and also without. With staging in memory `cache` may differ, since nothing is cold
/// there.
[[nodiscard]] std::vector<StagingGain> staging_gains(const RunResult& run,
                                                     const CellResult& chosen);

}  // namespace feedrate
