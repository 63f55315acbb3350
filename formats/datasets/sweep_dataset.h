// SPDX-License-Identifier: Apache-2.0
// One dataset that the cells of a sweep read, as it lies on storage once it is made, converted and
// staged. Plain values.
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
  std::string problem;  ///< why it cannot be read; its cells will fail with it
  std::uint64_t records = 0;
  std::uint64_t bytes = 0;
  std::uint64_t files = 0;
  std::string left_out = {};  ///< as RecordReader::left_out(), of the dataset itself
  std::size_t skipped = 0;    ///< its records that this copy lacks, since they are damaged
  /// Where `path` is a copy made for this sweep; it goes with the last SweepDataset that has it.
  std::optional<StagedDataset> staged = std::nullopt;
};

/// Which copy of a dataset a cell reads.
struct DatasetCopy {
  std::string format = {};  ///< empty: as it is
  std::size_t chunk = 0;    ///< samples a chunk; 0: as the format has it
  std::string codec = {};   ///< of its chunks; empty: as the format has it
  bool presampled = false;  ///< points were sampled beforehand
  StagingMode staging = StagingMode::kNone;

  friend auto operator<=>(const DatasetCopy&, const DatasetCopy&) = default;
};

/// What a cell's dataset is called: "zarr chunk=16 codec=zstd presampled staged ram"; "" for as it
/// is.
[[nodiscard]] std::string catalog_name(const DatasetCopy& copy);

}  // namespace feedrate
