// SPDX-License-Identifier: Apache-2.0
// A dataset that the cells of a sweep read: made, converted and staged. Plain values.
#pragma once
#include <compare>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "formats/datasets/stage.h"

namespace feedrate {

struct SweepDataset {
  std::filesystem::path path;
  std::string problem;  ///< why it cannot be read; its cells fail with this message
  std::uint64_t records = 0;
  std::uint64_t bytes = 0;
  std::uint64_t files = 0;
  std::string left_out = {};  ///< RecordReader::left_out() of the source
  std::size_t skipped = 0;    ///< damaged records that are not in this copy
  /// The staged copy at `path`, if any; the last SweepDataset that refers to it removes it.
  std::optional<StagedDataset> staged = std::nullopt;
};

/// The copy of a dataset that a cell reads.
struct DatasetCopy {
  std::string format = {};  ///< empty: the source itself
  std::size_t chunk = 0;    ///< samples per chunk; 0: the format's default
  std::string codec = {};   ///< of its chunks; empty: the format's default
  bool presampled = false;  ///< with points sampled in advance
  StagingMode staging = StagingMode::kNone;

  friend auto operator<=>(const DatasetCopy&, const DatasetCopy&) = default;
};

/// The catalog name of a cell's dataset: "zarr chunk=16 codec=zstd presampled staged ram"; "" for
/// the source itself.
[[nodiscard]] std::string catalog_name(const DatasetCopy& copy);

}  // namespace feedrate
