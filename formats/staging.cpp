// SPDX-License-Identifier: Apache-2.0
#include "formats/staging.h"

#include <system_error>

#include <fmt/format.h>

#include "core/error.h"
#include "core/host/file.h"
#include "formats/remote/remote_path.h"

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

fs::path target_named(const fs::path& asked) {
  fs::path target = asked.has_filename() ? asked : asked.parent_path();
  if (!target.has_filename() || target.filename() == "." || target.filename() == "..") {
    throw ConfigError(fmt::format("\"{}\": not a valid name for a new dataset", asked.string()));
  }
  return target;
}

// The prefix of the hidden folder's path. Checks the target and creates its parent.
fs::path hidden_beside(const fs::path& target) {
  require_absent(target);
  const fs::path parent = parent_of(target);
  create_folders(parent);
  return parent / fmt::format(".{}.", target.filename().string());
}

}  // namespace

void require_absent(const fs::path& path) {
  if (is_remote(path.native())) {
    throw ConfigError(
        fmt::format("{}: nothing is written to a server; write to a file here and copy it there",
                    path.string()));
  }
  std::error_code error;
  if (fs::exists(fs::symlink_status(path, error))) {
    throw ConfigError(fmt::format("{}: exists; choose another name or remove it", path.string()));
  }
}

Staging::Staging(const fs::path& target)
    : target_(target_named(target)), folder_(hidden_beside(target_)) {}

fs::path Staging::draft(const std::string& suffix) const {
  return with_suffix(folder_.path() / target_.filename(), suffix);
}

void Staging::publish(const std::string& suffix) {
  const fs::path published = with_suffix(target_, suffix);
  require_absent(published);
  std::error_code error;
  fs::rename(draft(suffix), published, error);
  if (error) throw SystemError(published.string(), "cannot move into place", error.value());
  sync_path(parent_of(target_));
}

}  // namespace feedrate
