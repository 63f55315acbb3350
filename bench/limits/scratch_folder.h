// SPDX-License-Identifier: Apache-2.0
// The temporary folder of the limits. Safe from any thread.
#pragma once
#include <filesystem>

#include "core/temporary_folder.h"

namespace feedrate {

/// Creates a hidden folder in `parent`. Throws ConfigError if that is not a folder, SystemError if
/// it cannot be created.
[[nodiscard]] TemporaryFolder make_scratch_folder(const std::filesystem::path& parent);

}  // namespace feedrate
