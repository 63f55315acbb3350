// SPDX-License-Identifier: Apache-2.0
// Summarizes a dataset from a sample of its records. Any thread.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/image_shape.h"
#include "formats/datasets/job.h"
#include "formats/record_reader.h"

namespace feedrate {

struct DatasetSummary {
  std::size_t files = 0;
  std::uint64_t file_bytes = 0;

  std::size_t sampled = 0;  ///< number of inspected records; all that follows is about them
  std::size_t png = 0;
  std::size_t jpeg = 0;
  std::size_t pixels = 0;
  std::size_t bytes = 0;              ///< opaque records, which have no shape
  std::vector<std::string> problems;  ///< a message per record that convert_dataset() would skip
  ImageShape first;                   ///< empty if every record is damaged
  ImageShape smallest;                ///< minimum height and minimum width, separately
  ImageShape largest;
  std::vector<double> record_bytes;            ///< size of each payload
  std::map<std::int64_t, std::size_t> labels;  ///< number of records by label
};

/// Inspects `sample` records at most, one drawn from each stretch of equal length: with even steps,
/// a dataset whose classes alternate would show one class only.
[[nodiscard]] DatasetSummary summarize_dataset(const RecordReader& reader, std::size_t sample,
                                               const Job& job);

}  // namespace feedrate
