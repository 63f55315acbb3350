// SPDX-License-Identifier: Apache-2.0
// Copies many files, or few large ones, on several threads. Any thread.
#pragma once
#include <filesystem>
#include <vector>

#include "formats/datasets/job.h"
#include "formats/datasets/stage.h"

namespace feedrate {

/// Copies every file to `folder` / its `to`, in pieces on job's threads; what is there already is
/// an error, symbolic links are not followed. job.advance() is called once a file. Throws
/// SystemError, FormatError if a file has changed since it was looked at, Cancelled; some of the
/// files are there then.
void copy_files(const std::vector<StagedFile>& files, const std::filesystem::path& folder,
                const Job& job);

}  // namespace feedrate
