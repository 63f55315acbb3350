// SPDX-License-Identifier: Apache-2.0
// Reads Zarr groups of pixels, of feedrate or others, in chunks along the samples. See
// docs/formats.md.
#include <algorithm>
#include <iterator>
#include <system_error>

#include <fmt/format.h>

#include "formats/array_names.h"
#include "formats/formats.h"
#include "formats/remote/remote_path.h"
#include "formats/zarr/zarr_codecs.h"
#include "formats/zarr/zarr_contents.h"
#include "formats/zarr/zarr_rows.h"

namespace feedrate {
namespace {

namespace fs = std::filesystem;

class ZarrCursor final : public RecordCursor {
 public:
  ZarrCursor(const ZarrContents& contents, const ReadOptions& options)
      : contents_(contents), rows_(contents.images, options) {}

  Record read(std::size_t index) override {
    return {.payload = rows_.read(index),
            .label = contents_.labels.empty() ? kNoLabel : contents_.labels[index],
            .key = key_of(index),
            .kind = Payload::kPixels,
            .shape = contents_.shape};
  }

  void expect(std::span<const std::uint64_t> indices) override { rows_.expect(indices); }

 private:
  std::string_view key_of(std::size_t index) {
    if (!contents_.keys.empty()) return contents_.keys[index];
    number_.clear();
    fmt::format_to(std::back_inserter(number_), "{:06}", index);
    return number_;
  }

  const ZarrContents& contents_;
  ZarrRows rows_;
  std::string number_;
};

class ZarrReader final : public RecordReader {
 public:
  ZarrReader(const fs::path& path, const ReadOptions& options)
      : path_(path), options_(options), contents_(read_zarr_contents(path)) {}

  std::string_view format() const noexcept override { return "zarr"; }
  std::size_t size() const noexcept override { return contents_.images.shape.front(); }
  Payload payload() const noexcept override { return Payload::kPixels; }

  const std::vector<std::string>& class_names() const noexcept override {
    return contents_.class_names;
  }

  std::vector<fs::path> files() const override {
    std::vector<fs::path> files;
    if (is_remote(path_.native())) return files;
    std::error_code error;
    for (fs::recursive_directory_iterator entry(path_, error), end; !error && entry != end;
         entry.increment(error)) {
      std::error_code unknown;
      if (entry->is_regular_file(unknown)) files.push_back(entry->path());
    }
    if (error) throw SystemError(path_.string(), "cannot list", error.value());
    std::sort(files.begin(), files.end());
    return files;
  }

  DataLocation locate(std::size_t index) const override {
    const ZarrArray& images = contents_.images;
    DataLocation location{.file = chunk_path(images, index / images.file_rows), .record = index};
    if (images.codecs.empty() && !images.shards) {
      location.offset = index % images.file_rows * contents_.shape.size();
    }
    return location;
  }

  std::string layout() const override {
    const ZarrArray& images = contents_.images;
    std::string text = fmt::format("Zarr {}, pixels of {}×{}×{}, chunks of {}", contents_.version,
                                   contents_.shape.height, contents_.shape.width,
                                   contents_.shape.channels, images.chunk_rows());
    if (images.shards) text += fmt::format(" in shards of {}", images.file_rows);
    for (const ZarrCodec codec : images.codecs) text += fmt::format(", {}", to_string(codec));
    return text + unread_text(contents_.unread);
  }

  std::unique_ptr<RecordCursor> open_cursor() const override {
    return std::make_unique<ZarrCursor>(contents_, options_);
  }

 private:
  fs::path path_;
  ReadOptions options_;
  ZarrContents contents_;
};

}  // namespace

std::unique_ptr<RecordReader> open_zarr_reader(const fs::path& path, const ReadOptions& options) {
  return std::make_unique<ZarrReader>(path, options);
}

}  // namespace feedrate
