// SPDX-License-Identifier: Apache-2.0
// Reads TFRecord files of tf.train.Example, at random through an index.
#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/error.h"
#include "formats/class_list.h"
#include "formats/formats.h"
#include "formats/packed_file.h"
#include "formats/shards.h"
#include "formats/storage.h"
#include "formats/tfrecord/example.h"
#include "formats/tfrecord/frame.h"
#include "formats/tfrecord/tfrecord_index.h"

namespace feedrate {
namespace {

namespace fs = std::filesystem;

/// ImageNet has 1024 shards, and the default limit is 1024 descriptors per process.
constexpr std::size_t kMaxOpenShards = 256;

struct TfrecordEntry {
  TfrecordFrame frame;
  std::size_t shard;
};

class TfrecordCursor final : public RecordCursor {
 public:
  TfrecordCursor(const std::vector<PackedFile>& shards, const std::vector<TfrecordEntry>& entries,
                 const ReadOptions& options)
      : shards_(shards), entries_(entries), reads_(options) {}

  Record read(std::size_t index) override { return record_of(bytes_of(index), index); }

  /// The bytes of an Example, which is not parsed. Throws FormatError if a checksum is wrong.
  Bytes bytes_of(std::size_t index) {
    const auto [offset, size] = entries_[index].frame;
    const Bytes frame = reads_.read(shards_[entries_[index].shard], offset, size);
    if (frame.size() < size) {
      throw FormatError(location(index),
                        "the file ends inside the record; it was truncated after it was opened");
    }
    return checked(frame, index);
  }

  void expect(std::span<const std::uint64_t> indices) override {
    for (const std::uint64_t index : indices) {
      const TfrecordEntry& entry = entries_[index];
      reads_.expect(shards_[entry.shard], entry.frame.offset, entry.frame.size);
    }
    reads_.ask();
  }

 private:
  DataLocation location(std::size_t index) const {
    const TfrecordEntry& entry = entries_[index];
    return {.file = shards_[entry.shard].path, .record = index, .offset = entry.frame.offset};
  }

  Bytes checked(Bytes frame, std::size_t index) const {
    const Bytes example = frame.subspan(kFrameHeader, frame.size() - kFrameHeader - kFrameFooter);
    if (frame_length(frame) != example.size()) {
      throw FormatError(
          location(index),
          fmt::format("the length of the record is not the {} bytes of the index, or its checksum "
                      "is wrong; if {}.idx belongs to another file, remove it",
                      example.size(), shards_[entries_[index].shard].path));
    }
    if (!footer_matches(example, frame.last(kFrameFooter))) {
      throw FormatError(location(index), "the checksum of the record is wrong; it is damaged");
    }
    return example;
  }

  Record record_of(Bytes bytes, std::size_t index) {
    const std::optional<Example> example = parse_example(bytes);
    if (!example) throw FormatError(location(index), "the record is not a tf.train.Example");
    if (example->payload.empty()) {
      throw FormatError(location(index),
                        fmt::format("the Example has no image: expected JPEG or PNG "
                                    "in image/encoded, found {}",
                                    describe_features(bytes)));
    }
    return {.payload = example->payload,
            .label = example->label,
            .key = key_of(*example, index),
            .kind = example->kind};
  }

  std::string_view key_of(const Example& example, std::size_t index) {
    if (!example.key.empty()) return example.key;
    key_.clear();
    fmt::format_to(std::back_inserter(key_), "{:06}", index);
    return key_;
  }

  const std::vector<PackedFile>& shards_;
  const std::vector<TfrecordEntry>& entries_;
  PackedReads reads_;
  std::string key_;
};

class TfrecordReader final : public RecordReader {
 public:
  TfrecordReader(const fs::path& path, const ReadOptions& options)
      : options_(options), class_names_(read_class_list(class_list_of(path))) {
    PackedReads reads;
    for (const fs::path& shard : list_shards(path, is_tfrecord_name)) {
      add_shard(reads.open(shard.string()), reads);
    }
    if (entries_.empty()) throw FormatError({.file = path.string()}, "no records: it is empty");
    payload_ = kind_of_first(path.string());
  }

  std::string_view format() const noexcept override { return "tfrecord"; }
  std::size_t size() const noexcept override { return entries_.size(); }
  Payload payload() const noexcept override { return payload_; }
  const std::vector<std::string>& class_names() const noexcept override { return class_names_; }

  std::vector<fs::path> files() const override {
    std::vector<fs::path> paths;
    for (const PackedFile& shard : shards_) paths.emplace_back(shard.path);
    return paths;
  }

  // Gives no offset: the image's position in its frame is known only after parsing.
  DataLocation locate(std::size_t index) const override {
    return {.file = shards_[entries_[index].shard].path, .record = index};
  }

  std::string layout() const override {
    return fmt::format("{} TFRecord file{} of tf.train.Example", shards_.size(),
                       shards_.size() == 1 ? "" : "s");
  }

  std::unique_ptr<RecordCursor> open_cursor() const override {
    return std::make_unique<TfrecordCursor>(shards_, entries_, options_);
  }

 private:
  // Refuses a dataset whose first records have no payload. Ignores damage: reading such a record is
  // the error.
  Payload kind_of_first(const std::string& path) const {
    constexpr std::size_t kLookedAt = 10;
    TfrecordCursor cursor(shards_, entries_, options_);
    std::string found;
    for (std::size_t i = 0; i < std::min(kLookedAt, entries_.size()); ++i) {
      try {
        const Bytes bytes = cursor.bytes_of(i);
        const std::optional<Example> example = parse_example(bytes);
        if (example && !example->payload.empty()) return example->kind;
        if (found.empty()) found = example ? describe_features(bytes) : "no tf.train.Example";
      } catch (const FormatError&) {
        return Payload::kEncoded;
      }
    }
    throw FormatError({.file = path},
                      fmt::format("no records: must be Examples with JPEG or PNG in image/encoded, "
                                  "or bytes in image; found {}",
                                  found));
  }

  void add_shard(PackedFile shard, PackedReads& reads) {
    for (const TfrecordFrame& frame : open_tfrecord_index(shard, reads)) {
      entries_.push_back({frame, shards_.size()});
    }
    if (shards_.size() < kMaxOpenShards) {
      prepare(shard, options_.order);
    } else {
      prepare_and_close(shard, options_.order);
    }
    shards_.push_back(std::move(shard));
  }

  ReadOptions options_;
  std::vector<std::string> class_names_;
  std::vector<PackedFile> shards_;
  std::vector<TfrecordEntry> entries_;
  Payload payload_ = Payload::kEncoded;
};

bool ends_in_shard_number(std::string_view name) {
  constexpr std::string_view kPattern = "-00000-of-00000";
  if (name.size() <= kPattern.size()) return false;
  const std::string_view end = name.substr(name.size() - kPattern.size());
  return std::equal(end.begin(), end.end(), kPattern.begin(), [](char c, char wanted) {
    return wanted == '0' ? c >= '0' && c <= '9' : c == wanted;
  });
}

bool begins_with_a_frame(const fs::path& path) {
  try {
    PackedReads reads;
    return frame_length(reads.read(reads.open(path.string()), 0, kFrameHeader)).has_value();
  } catch (const Error&) {
    return false;  // Opening the dataset reports the error.
  }
}

}  // namespace

std::unique_ptr<RecordReader> open_tfrecord_reader(const fs::path& path,
                                                   const ReadOptions& options) {
  return std::make_unique<TfrecordReader>(path, options);
}

bool is_tfrecord_name(const fs::path& file) {
  return file.extension() == ".tfrecord" || file.extension() == ".tfrecords" ||
         ends_in_shard_number(file.filename().string());
}

bool looks_like_tfrecord(const fs::path& path) {
  if (is_folder(path)) return is_folder_of(is_tfrecord_name, path);
  const bool is_compressed = path.extension() == ".gz" && is_tfrecord_name(path.stem());
  return is_tfrecord_name(path) || is_compressed || begins_with_a_frame(path);
}

}  // namespace feedrate
