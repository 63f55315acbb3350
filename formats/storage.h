// SPDX-License-Identifier: Apache-2.0
// What is at a path, of this system or of a server. Any thread. Throws SystemError if the system
// refuses, ServerError if a server does.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace feedrate {

/// A file or an object. Here, a folder as well: who asks means a file by its name.
[[nodiscard]] bool is_file_there(const std::filesystem::path& path);
/// The same of what need not be there, as far as a server tells: one that does not list its objects
/// refuses those that it does not have.
[[nodiscard]] bool is_file_offered(const std::filesystem::path& path);
/// Of a server: below it lies something, and it is no object itself. That is not asked of an
/// object, so that a server needs to list nothing for it.
[[nodiscard]] bool is_folder(const std::filesystem::path& path);
[[nodiscard]] bool is_there(const std::filesystem::path& path);

/// The files and folders in a folder by their names, sorted.
struct FolderNames {
  std::vector<std::string> files;
  std::vector<std::string> folders;
};
[[nodiscard]] FolderNames names_in_folder(const std::filesystem::path& folder);

/// As read_text_file().
[[nodiscard]] std::string read_text_at(const std::filesystem::path& path, std::uint64_t limit);

}  // namespace feedrate
