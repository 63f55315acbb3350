// SPDX-License-Identifier: Apache-2.0
// Writes Zarr groups of pixels, laid out as zarr-python does. See docs/formats.md.
#include <algorithm>
#include <span>
#include <string>

#include <fmt/format.h>

#include "core/did_you_mean.h"
#include "core/error.h"
#include "core/host/file.h"
#include "formats/formats.h"
#include "formats/keys.h"
#include "formats/one_shape.h"
#include "formats/payload.h"
#include "formats/staging.h"
#include "formats/zarr/zarr_codecs.h"
#include "formats/zarr/zarr_contents.h"
#include "formats/zarr/zarr_layout.h"

namespace feedrate {
namespace {

namespace fs = std::filesystem;

class GrowingArray {
 public:
  /// finish() replaces the first size of `plan.shape`, the number of rows.
  GrowingArray(fs::path folder, ZarrPlan plan)
      : folder_(std::move(folder)), plan_(std::move(plan)) {
    chunk_bytes_ = element_bytes(plan_) * plan_.chunk;
    for (const std::uint64_t size : std::span(plan_.shape).subspan(1)) chunk_bytes_ *= size;
    create_folders(folder_);
  }

  void append(Bytes row) {
    pending_.insert(pending_.end(), row.begin(), row.end());
    ++rows_;
    if (pending_.size() == chunk_bytes_) flush();
  }

  void finish() {
    pending_.resize(pending_.empty() ? 0 : chunk_bytes_);  // Zarr pads the last chunk.
    if (!pending_.empty()) flush();
    plan_.shape.front() = rows_;
    const auto [name, text] = zarr_array_file(plan_);
    write_new_file((folder_ / name).string(), text);
  }

 private:
  void flush() {
    const fs::path path = folder_ / zarr_chunk_name(plan_, chunks_++);
    if (path.parent_path() != folder_) create_folders(path.parent_path());
    write_new_file(path.string(),
                   compress_zarr_chunk(plan_.compression, pending_, element_bytes(plan_)));
    pending_.clear();
  }

  fs::path folder_;
  ZarrPlan plan_;
  std::size_t chunk_bytes_ = 0;
  std::vector<std::byte> pending_;
  std::uint64_t rows_ = 0;
  std::uint64_t chunks_ = 0;
};

class ZarrWriter final : public RecordWriter {
 public:
  ZarrWriter(const fs::path& path, const WriterOptions& options, const ImageShape& shape,
             const ZarrCompression& compression)
      : staging_(path),
        root_(staging_.draft()),
        shape_(shape),
        class_names_(options.class_names),
        plan_{.version = options.zarr_format,
              .compression = compression,
              .type = "uint8",
              .shape = {0, static_cast<std::uint64_t>(shape.height),
                        static_cast<std::uint64_t>(shape.width),
                        static_cast<std::uint64_t>(shape.channels)},
              .chunk = options.chunk},
        images_(root_ / "image", plan_) {}

  void append(const Record& record) override {
    require_payload(record, Payload::kPixels, target());
    require_shape(record, shape_, target());
    if (record.key.ends_with('\0')) {
      throw FormatError({.file = target()}, "a key ends in NUL, which pads keys");
    }
    if (record.key.size() > kLongestZarrKey) {
      throw FormatError({.file = target()}, fmt::format("a key of {} bytes; must have at most {}",
                                                        record.key.size(), kLongestZarrKey));
    }
    written_.add(record.key, target());
    images_.append(record.payload);
    labels_.push_back(record.label);
    keys_.emplace_back(record.key);
  }

  void finish() override {
    if (labels_.empty()) throw FormatError({.file = target()}, "no records were written");
    images_.finish();
    write_labels();
    write_keys();
    for (const auto& [name, text] : zarr_group_files(plan_.version, class_names_)) {
      write_new_file((root_ / name).string(), text);
    }
    sync_filesystem(root_);
    staging_.publish();
  }

 private:
  [[nodiscard]] std::string target() const { return staging_.target().string(); }

  /// An array of labels or keys, in chunks of about 1 MiB. A row has `width` elements.
  [[nodiscard]] GrowingArray start_array(const char* name, std::string_view type,
                                         std::uint64_t width) {
    ZarrPlan plan{
        .version = plan_.version, .compression = plan_.compression, .type = type, .shape = {0}};
    if (width > 1) plan.shape.push_back(width);
    constexpr std::uint64_t kChunkBytes = std::uint64_t{1} << 20;
    plan.chunk =
        std::clamp<std::uint64_t>(kChunkBytes / (width * element_bytes(plan)), 1, labels_.size());
    return {root_ / name, plan};
  }

  void write_labels() {
    GrowingArray array = start_array("label", "int64", 1);
    for (const std::int64_t label : labels_) array.append(std::as_bytes(std::span(&label, 1)));
    array.finish();
  }

  void write_keys() {
    std::size_t width = 2;  // Forces two dimensions.
    for (const std::string& key : keys_) width = std::max(width, key.size());
    GrowingArray array = start_array(kZarrKeys, "uint8", width);
    for (std::string& key : keys_) {
      key.resize(width);
      array.append(std::as_bytes(std::span(key)));
    }
    array.finish();
  }

  Staging staging_;
  fs::path root_;
  ImageShape shape_;
  std::vector<std::string> class_names_;
  ZarrPlan plan_;
  GrowingArray images_;
  std::vector<std::int64_t> labels_;
  std::vector<std::string> keys_;
  WrittenKeys written_;
};

const ZarrCompression& find_compression(const std::string& name) {
  std::vector<std::string_view> names;
  for (const ZarrCompression& compression : kZarrCompressions) {
    if (compression.name == name) return compression;
    names.push_back(compression.name);
  }
  throw ConfigError(fmt::format("codec \"{}\": unknown codec; must be one of {}{}", name,
                                fmt::join(names, ", "), did_you_mean(name, names)));
}

}  // namespace

std::unique_ptr<RecordWriter> create_zarr_writer(const fs::path& path,
                                                 const WriterOptions& options) {
  const ImageShape shape = required_shape(path, options, "Zarr");
  if (options.chunk < 1 || options.chunk > kMaxRecordBytes / shape.size()) {
    throw ConfigError(
        fmt::format("{}: a chunk of {} samples of {} bytes; must have at least 1 sample and at "
                    "most 1 GiB",
                    path.string(), options.chunk, shape.size()));
  }
  if (options.zarr_format != 2 && options.zarr_format != 3) {
    throw ConfigError(fmt::format("Zarr format {}: must be 2 or 3", options.zarr_format));
  }
  return std::make_unique<ZarrWriter>(path, options, shape, find_compression(options.codec));
}

}  // namespace feedrate
