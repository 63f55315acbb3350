// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <sys/stat.h>

#include "core/fnv1a.h"
#include "formats/datasets/cache.h"

namespace feedrate {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> files_of(const RecordReader& reader, const fs::path& path) {
  std::vector<fs::path> files = reader.files();
  for (const char* name : {"labels.csv", "classes.txt"}) files.push_back(path / name);
  files.emplace_back(path.string() + ".classes.txt");
  return files;
}

}  // namespace

std::string source_stamp(const RecordReader& reader, const fs::path& path) {
  std::string known;  // Each text ends with a zero byte.
  std::uint64_t bytes = 0;
  std::int64_t newest = 0;
  std::size_t count = 0;
  for (const std::string& name : reader.class_names()) known += name + '\0';
  for (const fs::path& file : files_of(reader, path)) {
    struct stat status {};
    if (::stat(file.c_str(), &status) != 0) continue;
    const std::int64_t changed =
        std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
    bytes += static_cast<std::uint64_t>(status.st_size);
    newest = std::max(newest, changed);
    ++count;
    known +=
        fmt::format("{} {} {}", file.lexically_relative(path).string(), status.st_size, changed) +
        '\0';
  }
  return fmt::format(
      "feedrate-cache 1\nformat {}\nrecords {}\nfiles {}\nbytes {}\nnewest {}\nfingerprint "
      "{:016x}\n",
      reader.format(), reader.size(), count, bytes, newest, fnv1a(known));
}

}  // namespace feedrate
