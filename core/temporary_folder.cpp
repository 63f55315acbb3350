#include "core/temporary_folder.h"

#include <cerrno>
#include <cstdlib>
#include <string>
#include <system_error>

#include "core/error.h"

namespace feedrate {

TemporaryFolder::TemporaryFolder(const std::filesystem::path& prefix) {
  std::string name = prefix.string() + "XXXXXX";
  if (::mkdtemp(name.data()) == nullptr) throw SystemError(name, "cannot create folder", errno);
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;  // Nobody to tell; what remains says by its prefix whose it is.
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace feedrate
