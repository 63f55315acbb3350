// SPDX-License-Identifier: Apache-2.0
// How large the samples of a recorded run are, and in how many files they lie. Pure functions; any
// thread.
#pragma once
#include <optional>
#include <string>

#include "core/result.h"

namespace feedrate {

struct DatasetCounts {
  double records = 0.0;
  double bytes = 0.0;
  double files_per_sample = 0.0;  ///< opened while a sample is loaded: 0 where files hold many
};

/// Of the dataset in the format that `settings` name. Runs that do not count files are taken at
/// their format's word: a file a sample with folder, npy and npz. Nothing where the run does not
/// say.
[[nodiscard]] std::optional<DatasetCounts> dataset_counts(const RunResult& run,
                                                          const Settings& settings);

/// The fact that dataset_counts() reads, for the dataset of this name on the shelf.
[[nodiscard]] Fact dataset_counts_fact(const std::string& name, double records, double bytes,
                                       double files);

}  // namespace feedrate
