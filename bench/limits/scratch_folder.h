// SPDX-License-Identifier: Apache-2.0
// Where the limits put files for a while. Any thread.
#pragma once
#include <filesystem>

#include "core/temporary_folder.h"

namespace feedrate {

/// Hidden, within `parent`. Throws ConfigError if that is no folder, SystemError if the system
/// refuses.
[[nodiscard]] TemporaryFolder make_scratch_folder(const std::filesystem::path& parent);

}  // namespace feedrate
