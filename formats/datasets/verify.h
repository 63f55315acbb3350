// SPDX-License-Identifier: Apache-2.0
// Whether two datasets deliver the same images, record by record. Any thread.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "formats/datasets/job.h"
#include "formats/record_reader.h"

namespace feedrate {

/// Every record of A and of B is counted in exactly one of the first six; labels are counted apart.
struct VerifyResult {
  std::size_t identical_bytes = 0;   ///< pairs of equal payload, whether it decodes or not
  std::size_t identical_pixels = 0;  ///< other pairs that decode to equal pixels
  std::size_t different = 0;         ///< pairs of unequal pixels, or that cannot be decoded
  std::size_t only_in_a = 0;
  std::size_t only_in_b = 0;
  std::size_t unreadable = 0;  ///< records, of either, that could not be read at all

  std::size_t different_labels = 0;
  std::size_t labels_missing = 0;  ///< pairs of which one has no label

  /// The datasets share no key (a foreign LMDB numbers its records), so the n-th record of one was
  /// compared with the n-th of the other.
  bool matched_by_position = false;
  std::vector<std::string> differences;  ///< the first kMaxDifferences, for people

  static constexpr std::size_t kMaxDifferences = 10;

  [[nodiscard]] bool identical() const noexcept {
    return different + only_in_a + only_in_b + unreadable + different_labels + labels_missing == 0;
  }
};

/// Records are matched by key, in whatever order they are; labels are compared by the names of
/// their classes where both datasets name them, otherwise as numbers.
[[nodiscard]] VerifyResult verify_datasets(const RecordReader& a, const RecordReader& b,
                                           const Job& job);

}  // namespace feedrate
