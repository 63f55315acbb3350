// SPDX-License-Identifier: Apache-2.0
#include "core/temporary_folder.h"

#include <cerrno>
#include <cstdlib>
#include <string>
#include <system_error>

#include "core/error.h"
#include "core/owner_mark.h"

namespace feedrate {

TemporaryFolder::TemporaryFolder(const std::filesystem::path& prefix) {
  const std::filesystem::path parent = prefix.parent_path();
  remove_left_behind(parent.empty() ? "." : parent, prefix.filename().string());
  std::string name = prefix.string() + owner_mark() + "-XXXXXX";
  if (::mkdtemp(name.data()) == nullptr) throw SystemError(name, "cannot create folder", errno);
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;  // What remains is removed by the next one of this prefix.
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace feedrate
