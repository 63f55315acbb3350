// SPDX-License-Identifier: Apache-2.0
// Copies files on several threads, large ones in pieces. Any thread.
#pragma once
#include <filesystem>
#include <vector>

#include "formats/datasets/job.h"
#include "formats/datasets/stage.h"

namespace feedrate {

/// Copies every file to `folder` / StagedFile::to. An existing target is an error, as is a symbolic
/// link. Calls job.advance() once per file. Throws SystemError, FormatError if a file has changed
/// since it was listed, Cancelled; then some of the copies exist.
void copy_files(const std::vector<StagedFile>& files, const std::filesystem::path& folder,
                const Job& job);

}  // namespace feedrate
