// SPDX-License-Identifier: Apache-2.0
// A dataset copied to storage of this node, or into its memory, for as long as a sweep needs it.
//
// One process a node stages: with several ranks local rank 0 calls stage_dataset() and tells the
// others StagedDataset::path; what they open there stays readable until rank 0 lets go of it.
// Functions may be called from any thread.
#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/temporary_folder.h"
#include "formats/datasets/job.h"

namespace feedrate {

enum class StagingMode { kNone, kCopy, kRam };

/// "copy"
[[nodiscard]] const char* to_string(StagingMode staging) noexcept;
/// kNone where the word is neither "copy" nor "ram".
[[nodiscard]] StagingMode staging_from_string(std::string_view word) noexcept;

/// Where datasets are staged if the sweep names no folder: SLURM_TMPDIR, else TMPDIR, else /tmp;
/// /dev/shm for kRam. REQUIRES: not kNone
[[nodiscard]] std::filesystem::path default_staging_folder(StagingMode staging);

struct StagedFile {
  std::filesystem::path from;
  std::filesystem::path to;  ///< relative to the folder that it is staged in
  std::uint64_t bytes = 0;
};

/// Of a dataset that is a folder all that lies in it; of one that is a file that and its list of
/// classes. A symbolic link is copied as the file that it names, if that lies in the dataset.
/// Throws FormatError for one that leads out of it or to a folder, and for what is neither file nor
/// folder.
[[nodiscard]] std::vector<StagedFile> files_to_stage(const std::filesystem::path& dataset);

/// What there is. Numbers that are not known are the largest there are.
struct StagingRoom {
  std::uint64_t bytes = UINT64_MAX;
  std::uint64_t files = UINT64_MAX;
  std::uint64_t memory = UINT64_MAX;  ///< where the folder lies in memory
};

[[nodiscard]] StagingRoom staging_room(const std::filesystem::path& folder, StagingMode staging);

/// Why the files do not fit, as an error's message; empty where they do.
[[nodiscard]] std::string why_no_room(const std::vector<StagedFile>& files, const StagingRoom& room,
                                      const std::filesystem::path& folder);

struct StagedDataset {
  std::filesystem::path path;  ///< open this
  std::uint64_t bytes = 0;
  double seconds = 0.0;  ///< from the first look at the dataset until its copy can be read
  /// Removes the copy when the last one of these is gone.
  std::shared_ptr<const TemporaryFolder> folder;
};

/// Copies the dataset into a new folder within `folder` that only this user can enter. The dataset
/// is dropped from the page cache first, so that the time is its storage's. Copies that a process
/// has left there which was killed are removed. On any error nothing stays. Throws ConfigError
/// where there is no such folder or too little room in it, FormatError as files_to_stage(),
/// SystemError where copying fails, Cancelled.
[[nodiscard]] StagedDataset stage_dataset(const std::filesystem::path& dataset, StagingMode staging,
                                          const std::filesystem::path& folder, const Job& job);

/// Removes what killed processes have left in the folders that are staged to by default.
void remove_left_copies() noexcept;

}  // namespace feedrate
