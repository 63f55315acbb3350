// SPDX-License-Identifier: Apache-2.0
#include "bench/limits/scratch_folder.h"

#include <system_error>

#include <fmt/format.h>

#include "core/error.h"

namespace feedrate {

TemporaryFolder make_scratch_folder(const std::filesystem::path& parent) {
  std::error_code error;
  if (!std::filesystem::is_directory(parent, error)) {
    throw ConfigError(
        fmt::format("{}: not a folder; --folder must be a writable folder", parent.string()));
  }
  return TemporaryFolder(parent / ".feedrate-limits.");
}

}  // namespace feedrate
