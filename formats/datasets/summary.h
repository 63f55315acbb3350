// SPDX-License-Identifier: Apache-2.0
// What a dataset is, from a sample of its records. Any thread.
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

  std::size_t sampled = 0;  ///< records that were looked at; the rest is about them
  std::size_t png = 0;
  std::size_t jpeg = 0;
  std::size_t pixels = 0;
  std::size_t bytes = 0;              ///< opaque, without a shape
  std::vector<std::string> problems;  ///< one message a record that convert_dataset() would skip
  ImageShape first;                   ///< empty if every record is damaged
  ImageShape smallest;                ///< least height and least width, not of one image
  ImageShape largest;
  std::vector<double> record_bytes;            ///< payload
  std::map<std::int64_t, std::size_t> labels;  ///< records by label
};

/// Looks at `sample` records at most, one drawn from each stretch of equal length: strictly even
/// steps would see one class only where classes take turns.
[[nodiscard]] DatasetSummary summarise_dataset(const RecordReader& reader, std::size_t sample,
                                               const Job& job);

}  // namespace feedrate
