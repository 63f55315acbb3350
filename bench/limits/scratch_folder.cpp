#include "bench/limits/scratch_folder.h"

#include <cerrno>
#include <cstdlib>
#include <string>
#include <system_error>

#include <fmt/format.h>

#include "core/error.h"

namespace feedrate {

ScratchFolder::ScratchFolder(const std::filesystem::path& parent) {
  std::error_code error;
  if (!std::filesystem::is_directory(parent, error)) {
    throw ConfigError(fmt::format("{}: is not a folder; --folder names one where files may be made",
                                  parent.string()));
  }
  std::string name = (parent / ".feedrate-limits.XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw SystemError(name, "cannot create folder", errno);
  path_ = name;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;  // Nobody to tell; what remains is hidden and says whose it is.
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace feedrate
