// SPDX-License-Identifier: Apache-2.0
// Reads folders of .npy files: decoded images of any size, one per file.
#include <optional>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "core/error.h"
#include "formats/folder/folder_kind.h"
#include "formats/keys.h"
#include "formats/npy/npy_header.h"
#include "formats/payload.h"

namespace feedrate {
namespace {

constexpr std::string_view kNpyExtension = ".npy";

std::optional<std::string_view> npy_stem(std::string_view name) noexcept {
  return stem_before(name, kNpyExtension);
}

Record parse_npy(Bytes file, const DataLocation& location) {
  const NpyHeader header = parse_npy_header(file, location);
  const Bytes pixels = file.subspan(header.size);
  if (pixels.size() != header.shape.size()) {
    throw FormatError(location, fmt::format("has {} bytes of pixels; {}×{}×{} need {}",
                                            pixels.size(), header.shape.height, header.shape.width,
                                            header.shape.channels, header.shape.size()));
  }
  return {.payload = pixels, .key = {}, .kind = Payload::kPixels, .shape = header.shape};
}

RecordFile npy_file(const Record& record, const std::string& target, std::string& memory) {
  require_payload(record, Payload::kPixels, target);
  memory = format_npy_header(record.shape);
  memory.append(reinterpret_cast<const char*>(record.payload.data()), record.payload.size());
  return {kNpyExtension, std::as_bytes(std::span(memory))};
}

constexpr FolderKind kNpyFolder{.format = "npy",
                                .payload = Payload::kPixels,
                                .files = {.stem = npy_stem, .extensions = kNpyExtension},
                                .parse = parse_npy,
                                .file_of = npy_file};

}  // namespace

std::unique_ptr<RecordReader> open_npy_reader(const std::filesystem::path& path,
                                              const ReadOptions& options) {
  return open_folder_of(kNpyFolder, path, options);
}

std::unique_ptr<RecordWriter> create_npy_writer(const std::filesystem::path& path,
                                                const WriterOptions& options) {
  return create_folder_of(kNpyFolder, path, options);
}

bool looks_like_npy(const std::filesystem::path& path) {
  return first_record_is(kNpyFolder.files, path);
}

}  // namespace feedrate
