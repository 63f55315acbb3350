// SPDX-License-Identifier: Apache-2.0
// Whether two records carry the same image and the same label.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <variant>

#include "formats/datasets/record_source.h"
#include "formats/record_reader.h"
#include "loaders/decode/record_pixels.h"

namespace feedrate {

enum class PayloadMatch { kBytes, kPixels, kDifferent };
enum class LabelMatch { kSame, kDifferent, kMissing };

struct RecordComparison {
  PayloadMatch payload = PayloadMatch::kBytes;
  LabelMatch label = LabelMatch::kSame;
  std::string difference;  ///< for people, where payload or labels differ
};

/// Reads and compares records of datasets A and B, which outlive it. One thread.
class RecordComparer {
 public:
  RecordComparer(const RecordReader& a, const RecordReader& b);

  /// What reading one position of both datasets gives.
  struct Probe {
    /// Set where both have the same key.
    std::optional<RecordComparison> comparison;
    /// Otherwise the key, or why there is none; empty beyond the end of that dataset.
    std::optional<std::variant<std::string, Problem>> a;
    std::optional<std::variant<std::string, Problem>> b;
  };
  [[nodiscard]] Probe probe(std::size_t index);

  /// Records that have been read before.
  [[nodiscard]] RecordComparison compare(std::size_t index_a, std::size_t index_b);

 private:
  struct Side {
    explicit Side(const RecordReader& dataset) : reader(dataset), source(dataset) {}
    const RecordReader& reader;
    RecordSource source;
    RecordPixels pixels;
  };

  RecordComparison compare(const Record& a, std::size_t index_a, const Record& b,
                           std::size_t index_b);
  PayloadMatch compare_payload(const Record& a, std::size_t index_a, const Record& b,
                               std::size_t index_b, std::string& difference);
  LabelMatch compare_labels(const Record& a, const Record& b, std::string& difference) const;

  Side a_;
  Side b_;
};

}  // namespace feedrate
