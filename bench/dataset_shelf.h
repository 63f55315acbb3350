// The dataset of a sweep in every format that its cells name: made, converted and looked at before
// anything is measured.
#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bench/console.h"
#include "bench/datasets/stage.h"
#include "bench/plan/config.h"
#include "bench/plan/plan.h"

namespace feedrate {

struct ShelvedDataset {
  std::filesystem::path path;
  std::string problem;  ///< why it cannot be read; its cells will fail with it
  std::uint64_t records = 0;
  std::uint64_t bytes = 0;
  std::uint64_t files = 0;
  std::string left_out = {};  ///< as RecordReader::left_out(), of the dataset itself
  std::size_t skipped = 0;    ///< its records that this copy lacks, since they are damaged
  /// Where `path` is a copy made for this sweep; it goes with the last ShelvedDataset that has it.
  std::optional<StagedDataset> staged = std::nullopt;
};

/// Throws ConfigError if there is no dataset and the configuration does not say how to make one, or
/// if it is of no known format. A damaged one fails its cells later.
void require_dataset(const DatasetConfig& config);

/// What a cell's dataset is called on the shelf: its format, "" for as it is, behind that
/// " presampled" where points were sampled beforehand, and " staged copy" or " staged ram" where it
/// is used from there.
[[nodiscard]] std::string shelf_name(const std::string& format, bool presampled,
                                     StagingMode staging = StagingMode::kNone);

/// By shelf_name(). Makes the dataset where the configuration says how and nothing is there,
/// converts what is missing into the cache beside it, then stages what cells want staged, once,
/// with progress on console.err. A dataset that cannot be staged is a problem of its cells only. In
/// what a copy differs from the dataset is added to `doubts`. Throws ConfigError if the cache
/// cannot be written, or if damaged records make its formats hold different ones; Cancelled on
/// Ctrl-C.
[[nodiscard]] std::map<std::string, ShelvedDataset> shelve_datasets(
    const SweepConfig& config, const std::vector<Cell>& plan, Console& console,
    std::vector<std::string>& doubts);

}  // namespace feedrate
