// SPDX-License-Identifier: Apache-2.0
// Checks whether two datasets have the same images, record by record. Any thread.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "formats/datasets/job.h"
#include "formats/record_reader.h"

namespace feedrate {

/// Each record of A and B counts in exactly one of the first six; labels count separately.
struct VerifyResult {
  std::size_t identical_bytes = 0;   ///< pairs of equal payload, decodable or not
  std::size_t identical_pixels = 0;  ///< other pairs that decode to equal pixels
  std::size_t different = 0;         ///< pairs of unequal or undecodable pixels
  std::size_t only_in_a = 0;
  std::size_t only_in_b = 0;
  std::size_t unreadable = 0;  ///< records of A or B that cannot be read

  std::size_t different_labels = 0;
  std::size_t labels_missing = 0;  ///< pairs with one label missing

  /// The datasets share no key (an LMDB of another program numbers its records), so record n of A
  /// was compared with record n of B.
  bool matched_by_position = false;
  std::vector<std::string> differences;  ///< messages, the first kMaxDifferences

  static constexpr std::size_t kMaxDifferences = 10;

  [[nodiscard]] bool identical() const noexcept {
    return different + only_in_a + only_in_b + unreadable + different_labels + labels_missing == 0;
  }
};

/// Matches records by key, in any order. Compares labels by class name if both datasets have names,
/// otherwise as numbers.
[[nodiscard]] VerifyResult verify_datasets(const RecordReader& a, const RecordReader& b,
                                           const Job& job);

}  // namespace feedrate
