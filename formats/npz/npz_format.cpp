// SPDX-License-Identifier: Apache-2.0
// Reads folders of .npz files: opaque bytes, one record per file.
#include <optional>
#include <span>
#include <string_view>

#include "formats/folder/folder_kind.h"
#include "formats/keys.h"
#include "formats/npz/npz_archive.h"
#include "formats/payload.h"

namespace feedrate {
namespace {

constexpr std::string_view kNpzExtension = ".npz";

std::optional<std::string_view> npz_stem(std::string_view name) noexcept {
  return stem_before(name, kNpzExtension);
}

Record parse_npz(Bytes file, const DataLocation& location) {
  return {.payload = npz_array(file, location), .key = {}, .kind = Payload::kBytes};
}

RecordFile npz_file(const Record& record, const std::string& target, std::string& memory) {
  require_payload(record, Payload::kBytes, target);
  memory = format_npz(record.payload, record.label);
  return {kNpzExtension, std::as_bytes(std::span(memory))};
}

constexpr FolderKind kNpzFolder{.format = "npz",
                                .payload = Payload::kBytes,
                                .files = {.stem = npz_stem, .extensions = kNpzExtension},
                                .parse = parse_npz,
                                .file_of = npz_file};

}  // namespace

std::unique_ptr<RecordReader> open_npz_reader(const std::filesystem::path& path,
                                              const ReadOptions& options) {
  return open_folder_of(kNpzFolder, path, options);
}

std::unique_ptr<RecordWriter> create_npz_writer(const std::filesystem::path& path,
                                                const WriterOptions& options) {
  return create_folder_of(kNpzFolder, path, options);
}

bool looks_like_npz(const std::filesystem::path& path) {
  return first_record_is(kNpzFolder.files, path);
}

}  // namespace feedrate
