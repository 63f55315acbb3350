// SPDX-License-Identifier: Apache-2.0
// Copies a dataset to local storage or memory for as long as a sweep needs it.
//
// One process per node stages: local rank 0 calls stage_dataset() and sends StagedDataset::path to
// the others. The copy stays readable until rank 0 destroys its StagedDataset. Any thread may call
// the functions.
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
/// kNone for any word but "copy" and "ram".
[[nodiscard]] StagingMode staging_from_string(std::string_view word) noexcept;

/// The folder if the sweep names none: SLURM_TMPDIR, else TMPDIR, else /tmp; /dev/shm for kRam.
/// REQUIRES: not kNone
[[nodiscard]] std::filesystem::path default_staging_folder(StagingMode staging);

struct StagedFile {
  std::filesystem::path from;
  std::filesystem::path to;  ///< relative to the staging folder
  std::uint64_t bytes = 0;
};

/// Lists all files of a folder, or a file and its list of classes. A symbolic link is copied as the
/// file that it names. Throws FormatError for a link out of the dataset or to a folder, and for
/// anything but files and folders.
[[nodiscard]] std::vector<StagedFile> files_to_stage(const std::filesystem::path& dataset);

/// Free space. Unknown values are the maximum.
struct StagingSpace {
  std::uint64_t bytes = UINT64_MAX;
  std::uint64_t files = UINT64_MAX;
  std::uint64_t memory = UINT64_MAX;  ///< if the folder is in memory
};

[[nodiscard]] StagingSpace free_staging_space(const std::filesystem::path& folder,
                                              StagingMode staging);

/// Why the files do not fit, as an error message; empty if they fit.
[[nodiscard]] std::string why_no_space(const std::vector<StagedFile>& files,
                                       const StagingSpace& space,
                                       const std::filesystem::path& folder);

struct StagedDataset {
  std::filesystem::path path;  ///< the copy to open
  std::uint64_t bytes = 0;
  double seconds = 0.0;  ///< from listing the dataset until its copy is readable
  /// Removes the copy with the last reference.
  std::shared_ptr<const TemporaryFolder> folder;
};

/// Copies the dataset into a new private folder within `folder`. Drops the dataset from the page
/// cache first, so that the time is its storage's. Removes copies of killed processes in `folder`,
/// and its own copy on any error. Throws ConfigError if there is no such folder or too little
/// space, FormatError as files_to_stage(), SystemError if copying fails, Cancelled.
[[nodiscard]] StagedDataset stage_dataset(const std::filesystem::path& dataset, StagingMode staging,
                                          const std::filesystem::path& folder, const Job& job);

/// Removes copies of killed processes from the default staging folders.
void remove_stale_copies() noexcept;

/// Copies every file to `folder` / StagedFile::to. An existing target is an error, as is a symbolic
/// link. Calls job.advance() once per file. Throws SystemError, FormatError if a file has changed
/// since it was listed, Cancelled; then some of the copies exist.
void copy_files(const std::vector<StagedFile>& files, const std::filesystem::path& folder,
                const Job& job);

}  // namespace feedrate
