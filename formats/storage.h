// SPDX-License-Identifier: Apache-2.0
// Files and folders at a path, local or on a server. Any thread. Throws SystemError if the system
// refuses, ServerError if a server does.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace feedrate {

/// Whether there is an object or anything local, a folder included.
[[nodiscard]] bool is_file_there(const std::filesystem::path& path);
/// The same for an optional file. A server that forbids listing also refuses objects that it does
/// not have: such a refusal counts as absent.
[[nodiscard]] bool is_file_offered(const std::filesystem::path& path);
/// Whether there is a local folder, or there are objects below `path` on a server and none at it.
/// Checks for the object first, so that a server need not allow listing.
[[nodiscard]] bool is_folder(const std::filesystem::path& path);
[[nodiscard]] bool is_there(const std::filesystem::path& path);

/// Names of the files and folders in a folder, sorted.
struct FolderNames {
  std::vector<std::string> files;
  std::vector<std::string> folders;
};
[[nodiscard]] FolderNames names_in_folder(const std::filesystem::path& folder);

/// read_text_file(), also for objects.
[[nodiscard]] std::string read_text_at(const std::filesystem::path& path, std::uint64_t limit);

}  // namespace feedrate
