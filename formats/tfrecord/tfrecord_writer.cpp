// SPDX-License-Identifier: Apache-2.0
// Writes TFRecord files of tf.train.Example, as TensorFlow's ImageNet converter does.
#include <fmt/format.h>

#include "core/error.h"
#include "core/host/file.h"
#include "formats/formats.h"
#include "formats/keys.h"
#include "formats/payload.h"
#include "formats/shard_draft.h"
#include "formats/tfrecord/example.h"
#include "formats/tfrecord/frame.h"

namespace feedrate {
namespace {

namespace fs = std::filesystem;

class TfrecordWriter final : public RecordWriter {
 public:
  TfrecordWriter(const fs::path& path, const WriterOptions& options)
      : draft_(path, is_tfrecord_name, options) {}

  void append(const Record& record) override {
    const std::string target = draft_.target().string();
    if (record.kind != Payload::kBytes) static_cast<void>(image_extension(record, target));
    keys_.add(record.key, target);
    const std::string frame = format_frame(format_example(record, class_name(record.label)));
    start_shard_if_full(frame.size());
    write_all(shard_.get(), std::as_bytes(std::span(frame)), shard_path_.string());
    shard_size_ += frame.size();
  }

  void finish() override {
    if (shards_ == 0) {
      throw FormatError({.file = draft_.target().string()}, "no records were written");
    }
    close_shard();
    name_shards();
    draft_.publish();
  }

 private:
  std::string_view class_name(std::int64_t label) const {
    const auto index = static_cast<std::size_t>(label);
    const std::vector<std::string>& names = draft_.class_names();
    return label >= 0 && index < names.size() ? names[index] : std::string_view();
  }

  void start_shard_if_full(std::size_t needed) {
    if (shards_ > 0 && draft_.fits(shard_size_, needed)) return;
    close_shard();
    shard_path_ = draft_.shard(draft_name(shards_));
    shard_ = create_file(shard_path_.string());
    shard_size_ = 0;
    ++shards_;
  }

  void close_shard() {
    if (shards_ == 0) return;
    shard_ = UniqueFd();
    sync_path(shard_path_);
  }

  static std::string draft_name(std::size_t shard) { return fmt::format("{}.part", shard); }

  // Renames the shards at the end, because TensorFlow's names include the number of shards.
  void name_shards() const {
    const std::string name = draft_.target().filename().string();
    for (std::size_t i = 0; i < shards_; ++i) {
      draft_.rename(draft_name(i), fmt::format("{}-{:05}-of-{:05}.tfrecord", name, i, shards_));
    }
  }

  ShardDraft draft_;
  WrittenKeys keys_;
  fs::path shard_path_;
  UniqueFd shard_;
  std::uint64_t shard_size_ = 0;
  std::size_t shards_ = 0;
};

}  // namespace

std::unique_ptr<RecordWriter> create_tfrecord_writer(const fs::path& path,
                                                     const WriterOptions& options) {
  return std::make_unique<TfrecordWriter>(path, options);
}

}  // namespace feedrate
