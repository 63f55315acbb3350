// SPDX-License-Identifier: Apache-2.0
// Compares images and labels of two records.
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
  std::string difference;  ///< message if payload or labels differ, else empty
};

/// Reads and compares records of datasets A and B, which outlive it. Used by one thread.
class RecordComparer {
 public:
  RecordComparer(const RecordReader& a, const RecordReader& b);

  /// The result of reading one index of both datasets.
  struct Probe {
    /// Set if both records have the same key.
    std::optional<RecordComparison> comparison;
    /// Otherwise the key or the problem of each; empty beyond the end of that dataset.
    std::optional<std::variant<std::string, Problem>> a;
    std::optional<std::variant<std::string, Problem>> b;
  };
  [[nodiscard]] Probe probe(std::size_t index);

  /// Compares two records whose keys probe() has returned.
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
