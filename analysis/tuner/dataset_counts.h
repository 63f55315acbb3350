// SPDX-License-Identifier: Apache-2.0
// The size of the samples of a recorded run, and the number of their files. Pure functions; any
// thread.
#pragma once
#include <optional>
#include <string>

#include "core/result.h"

namespace feedrate {

struct DatasetCounts {
  double records = 0.0;
  double bytes = 0.0;
  double files_per_sample = 0.0;  ///< opened per sample; 0 if a file has many samples
};

/// The counts of the dataset in the format of `settings`. Without a count of files in the run, the
/// format decides: folder, npy and npz have a file per sample. Empty if the run has no record of
/// the dataset.
[[nodiscard]] std::optional<DatasetCounts> dataset_counts(const RunResult& run,
                                                          const Settings& settings);

/// The fact that dataset_counts() reads, for the dataset with this catalog name.
[[nodiscard]] Fact dataset_counts_fact(const std::string& name, double records, double bytes,
                                       double files);

}  // namespace feedrate
