// SPDX-License-Identifier: Apache-2.0
// Reads uncompressed tar shards with WebDataset's naming rule, at random through an index.
#include <utility>

#include <fmt/format.h>

#include "formats/class_list.h"
#include "formats/formats.h"
#include "formats/keys.h"
#include "formats/packed_file.h"
#include "formats/payload.h"
#include "formats/shards.h"
#include "formats/tar/member_name.h"
#include "formats/tar/shard_index.h"

namespace feedrate {
namespace {

namespace fs = std::filesystem;

struct TarEntry {
  std::string key;
  std::uint64_t offset;
  std::uint64_t size;
  std::int64_t label;
  std::size_t shard;
};

class TarCursor final : public RecordCursor {
 public:
  TarCursor(const std::vector<PackedFile>& shards, const std::vector<TarEntry>& entries,
            const ReadOptions& options)
      : shards_(shards), entries_(entries), reads_(options) {}

  Record read(std::size_t index) override {
    const TarEntry& entry = entries_[index];
    const PackedFile& shard = shards_[entry.shard];
    const Bytes bytes = reads_.read(shard, entry.offset, entry.size);
    if (bytes.size() < entry.size) {
      throw FormatError({.file = shard.path, .record = index, .offset = entry.offset},
                        "the file ends inside the record; it was truncated after it was opened");
    }
    return {.payload = bytes, .label = entry.label, .key = entry.key};
  }

  void expect(std::span<const std::uint64_t> indices) override {
    for (const std::uint64_t index : indices) {
      const TarEntry& entry = entries_[index];
      reads_.expect(shards_[entry.shard], entry.offset, entry.size);
    }
    reads_.ask();
  }

 private:
  const std::vector<PackedFile>& shards_;
  const std::vector<TarEntry>& entries_;
  PackedReads reads_;
};

class TarReader final : public RecordReader {
 public:
  TarReader(const fs::path& path, const ReadOptions& options)
      : options_(options), class_names_(read_class_list(class_list_of(path))) {
    std::vector<std::string> names;
    PackedReads reads;
    for (const fs::path& shard : list_shards(path, is_tar_name)) {
      add_shard(reads.open(shard.string()), reads, names);
    }
    // Must follow the walk, which reads the headers in order.
    for (PackedFile& shard : shards_) prepare(shard, options.order);
    if (entries_.empty()) {
      throw FormatError({.file = path.string()},
                        fmt::format("no records: no .jpg, .jpeg or .png among the members ({} of "
                                    "other kinds)",
                                    ignored_));
    }
    set_keys(names);
  }

  std::string_view format() const noexcept override { return "tar"; }
  std::size_t size() const noexcept override { return entries_.size(); }
  Payload payload() const noexcept override { return Payload::kEncoded; }
  const std::vector<std::string>& class_names() const noexcept override { return class_names_; }

  std::vector<fs::path> files() const override {
    std::vector<fs::path> paths;
    for (const PackedFile& shard : shards_) paths.emplace_back(shard.path);
    return paths;
  }

  DataLocation locate(std::size_t index) const override {
    const TarEntry& entry = entries_[index];
    return {.file = shards_[entry.shard].path, .record = index, .offset = entry.offset};
  }

  std::string layout() const override {
    std::string text =
        fmt::format("{} shard{} of tar", shards_.size(), shards_.size() == 1 ? "" : "s");
    if (ignored_ > 0) text += fmt::format(", {} members ignored", ignored_);
    if (unmarked_ > 0) text += fmt::format(", {} without an end mark", unmarked_);
    return text;
  }

  std::unique_ptr<RecordCursor> open_cursor() const override {
    return std::make_unique<TarCursor>(shards_, entries_, options_);
  }

 private:
  void add_shard(PackedFile shard, PackedReads& reads, std::vector<std::string>& names) {
    ShardIndex index = open_shard_index(shard, reads);
    ignored_ += index.ignored;
    unmarked_ += index.has_end_mark ? 0 : 1;
    for (ShardRecord& record : index.records) {
      entries_.push_back({key_of_stem(split_member_name(record.name)->stem), record.offset,
                          record.size, record.label, shards_.size()});
      names.push_back(std::move(record.name));
    }
    shards_.push_back(std::move(shard));
  }

  void set_keys(const std::vector<std::string>& names) {
    std::vector<std::string> keys;
    for (TarEntry& entry : entries_) keys.push_back(std::move(entry.key));
    const auto repeated = make_keys_unique(keys, [&](std::size_t i) {
      if (shards_.size() == 1) return names[i];
      return fs::path(shards_[entries_[i].shard].path).stem().string() + '/' + names[i];
    });
    if (repeated) {
      throw FormatError(locate(*repeated), fmt::format("the shard has two members named \"{}\"; "
                                                       "names must differ",
                                                       names[*repeated]));
    }
    for (std::size_t i = 0; i < keys.size(); ++i) entries_[i].key = std::move(keys[i]);
  }

  ReadOptions options_;
  std::vector<std::string> class_names_;
  std::vector<PackedFile> shards_;
  std::vector<TarEntry> entries_;
  std::uint64_t ignored_ = 0;
  std::uint64_t unmarked_ = 0;
};

}  // namespace

std::unique_ptr<RecordReader> open_tar_reader(const fs::path& path, const ReadOptions& options) {
  return std::make_unique<TarReader>(path, options);
}

bool is_tar_name(const fs::path& file) { return file.extension() == ".tar"; }

}  // namespace feedrate
