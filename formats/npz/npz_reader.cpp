// SPDX-License-Identifier: Apache-2.0
#include "formats/npz/npz_reader.h"

#include <optional>
#include <string_view>

#include "formats/folder/folder_reader.h"
#include "formats/keys.h"
#include "formats/npz/npz_archive.h"

namespace feedrate {
namespace {

constexpr std::string_view kNpzExtension = ".npz";

std::optional<std::string_view> npz_stem(std::string_view name) noexcept {
  return stem_before(name, kNpzExtension);
}

Record parse_npz(Bytes file, const DataLocation& location) {
  return {.payload = npz_array(file, location), .key = {}, .kind = Payload::kBytes};
}

constexpr FolderKind kNpzFolder{.format = "npz",
                                .payload = Payload::kBytes,
                                .files = {.stem = npz_stem, .extensions = kNpzExtension},
                                .parse = parse_npz};

}  // namespace

std::unique_ptr<RecordReader> open_npz_reader(const std::filesystem::path& path,
                                              const ReadOptions& options) {
  return open_folder_of(kNpzFolder, path, options);
}

bool looks_like_npz(const std::filesystem::path& path) {
  return first_record_is(kNpzFolder.files, path);
}

}  // namespace feedrate
