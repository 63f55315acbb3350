// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <sys/stat.h>

#include "formats/datasets/cache.h"

namespace feedrate {
namespace {

namespace fs = std::filesystem;

/// FNV-1a, which detects accidental changes only.
class Fingerprint {
 public:
  void add(std::string_view text) {
    for (const char c : text) add_byte(static_cast<unsigned char>(c));
    add_byte(0);
  }
  [[nodiscard]] std::uint64_t value() const noexcept { return hash_; }

 private:
  void add_byte(unsigned char byte) noexcept { hash_ = (hash_ ^ byte) * 0x100000001B3ULL; }
  std::uint64_t hash_ = 0xCBF29CE484222325ULL;
};

std::vector<fs::path> files_of(const RecordReader& reader, const fs::path& path) {
  std::vector<fs::path> files = reader.files();
  for (const char* name : {"labels.csv", "classes.txt"}) files.push_back(path / name);
  files.emplace_back(path.string() + ".classes.txt");
  return files;
}

}  // namespace

std::string source_stamp(const RecordReader& reader, const fs::path& path) {
  Fingerprint fingerprint;
  std::uint64_t bytes = 0;
  std::int64_t newest = 0;
  std::size_t count = 0;
  for (const std::string& name : reader.class_names()) fingerprint.add(name);
  for (const fs::path& file : files_of(reader, path)) {
    struct stat status {};
    if (::stat(file.c_str(), &status) != 0) continue;
    const std::int64_t changed =
        std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
    bytes += static_cast<std::uint64_t>(status.st_size);
    newest = std::max(newest, changed);
    ++count;
    fingerprint.add(
        fmt::format("{} {} {}", file.lexically_relative(path).string(), status.st_size, changed));
  }
  return fmt::format(
      "feedrate-cache 1\nformat {}\nrecords {}\nfiles {}\nbytes {}\nnewest {}\nfingerprint "
      "{:016x}\n",
      reader.format(), reader.size(), count, bytes, newest, fingerprint.value());
}

}  // namespace feedrate
