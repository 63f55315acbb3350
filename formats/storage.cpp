// SPDX-License-Identifier: Apache-2.0
#include "formats/storage.h"

#include <algorithm>
#include <system_error>

#include <fmt/format.h>

#include "core/error.h"
#include "core/host/file.h"
#include "formats/packed_file.h"
#include "formats/remote/objects.h"
#include "formats/remote/remote_path.h"

namespace feedrate {

namespace fs = std::filesystem;

namespace {

bool has_objects_below(const fs::path& path) {
  const RemoteFolder some = RemoteObjects().list(path.string(), false, 1);
  return !some.objects.empty() || !some.folders.empty();
}

// Web consoles create an object with a trailing slash for a folder.
bool is_object(const fs::path& path, bool if_allowed) {
  const std::string key = parse_remote_path(path.native()).key;
  return !key.empty() && !key.ends_with('/') && RemoteObjects().info(path.string(), if_allowed);
}

}  // namespace

bool is_there(const fs::path& path) {
  return is_file_there(path) || (is_remote(path.native()) && has_objects_below(path));
}

bool is_file_there(const fs::path& path) {
  if (is_remote(path.native())) return is_object(path, false);
  std::error_code error;
  const bool exists = fs::exists(path, error);
  if (error) throw SystemError(path.string(), "cannot stat", error.value());
  return exists;
}

bool is_file_offered(const fs::path& path) {
  return is_remote(path.native()) ? is_object(path, true) : is_file_there(path);
}

bool is_folder(const fs::path& path) {
  if (is_remote(path.native())) return !is_file_there(path) && has_objects_below(path);
  std::error_code error;
  return fs::is_directory(path, error);
}

FolderNames names_in_folder(const fs::path& folder) {
  FolderNames names;
  if (is_remote(folder.native())) {
    RemoteFolder listed = RemoteObjects().list(folder.string(), false);
    for (ListedObject& object : listed.objects) names.files.push_back(std::move(object.key));
    names.folders = std::move(listed.folders);
    return names;
  }
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code dangling;
    auto& kind = entry->is_directory(dangling) ? names.folders : names.files;
    kind.push_back(entry->path().filename().string());
  }
  if (error) throw SystemError(folder.string(), "cannot list", error.value());
  std::sort(names.files.begin(), names.files.end());
  std::sort(names.folders.begin(), names.folders.end());
  return names;
}

std::string read_text_at(const fs::path& path, std::uint64_t limit) {
  if (!is_remote(path.native())) return read_text_file(path.string(), limit);
  PackedReads reads;
  const PackedFile file = reads.open(path.string());
  if (file.size > limit) {
    throw FormatError({.file = file.path},
                      fmt::format("has {} bytes; must have at most {}", file.size, limit));
  }
  const Bytes bytes = reads.read(file, 0, file.size);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace feedrate
