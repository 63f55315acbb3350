#include "formats/staging.h"

#include <cerrno>
#include <cstdlib>
#include <system_error>

#include <fmt/format.h>

#include "core/error.h"
#include "formats/file.h"

namespace feedrate {
namespace {

namespace fs = std::filesystem;

fs::path parent_of(const fs::path& path) {
  const fs::path parent = path.parent_path();
  return parent.empty() ? fs::path(".") : parent;
}

fs::path with_suffix(const fs::path& path, const std::string& suffix) {
  return fs::path(path.string() + suffix);
}

}  // namespace

void require_absent(const fs::path& path) {
  std::error_code error;
  if (fs::exists(fs::symlink_status(path, error))) {
    throw ConfigError(fmt::format("{}: exists; choose another name or remove it", path.string()));
  }
}

Staging::Staging(const fs::path& target)
    : target_(target.has_filename() ? target : target.parent_path()) {
  if (!target_.has_filename() || target_.filename() == "." || target_.filename() == "..") {
    throw ConfigError(fmt::format("\"{}\": is no name for a new dataset", target.string()));
  }
  require_absent(target_);
  const fs::path parent = parent_of(target_);
  std::error_code error;
  if (!fs::is_directory(parent, error)) {
    throw ConfigError(fmt::format("{}: is not a folder; create it first", parent.string()));
  }
  std::string name = (parent / fmt::format(".{}.XXXXXX", target_.filename().string())).string();
  if (::mkdtemp(name.data()) == nullptr) throw SystemError(name, "cannot create folder", errno);
  folder_ = name;
}

Staging::~Staging() {
  std::error_code ignored;  // Nobody to tell; what remains is hidden and named after the target.
  fs::remove_all(folder_, ignored);
}

fs::path Staging::draft(const std::string& suffix) const {
  return with_suffix(folder_ / target_.filename(), suffix);
}

void Staging::publish(const std::string& suffix) {
  const fs::path place = with_suffix(target_, suffix);
  require_absent(place);
  std::error_code error;
  fs::rename(draft(suffix), place, error);
  if (error) throw SystemError(place.string(), "cannot move into place", error.value());
  sync_path(parent_of(target_));
}

}  // namespace feedrate
