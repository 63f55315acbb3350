// SPDX-License-Identifier: Apache-2.0
#include "formats/tar/shard_index.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <unordered_map>

#include <fmt/format.h>

#include "core/error.h"
#include "core/fnv1a.h"
#include "core/parse_number.h"
#include "formats/keys.h"
#include "formats/payload.h"
#include "formats/remote/remote_path.h"
#include "formats/tar/member_name.h"
#include "formats/tar/tar_walk.h"

namespace feedrate {
namespace {

/// The prefix of all versions. Versions differ in the members that count as records.
constexpr std::string_view kAnyIndexMagic = "FRTIDX";
constexpr std::string_view kIndexMagic = "FRTIDX02";
/// Limit for the file of a label: a 64-bit decimal with spaces.
constexpr std::uint64_t kMaxLabelBytes = 64;

std::int64_t read_label(const PackedFile& shard, PackedReads& reads, const TarMember& member) {
  const Bytes bytes = reads.read(shard, member.data, std::min(member.size, kMaxLabelBytes));
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  constexpr std::string_view kSpace = " \t\r\n";
  const std::size_t begin = std::min(text.find_first_not_of(kSpace), text.size());
  const std::size_t last = text.find_last_not_of(kSpace);
  const std::size_t end = last == std::string::npos ? begin : last + 1;
  const auto label = parse_number<std::int64_t>(text.substr(begin, end - begin));
  if (member.size > kMaxLabelBytes || !label) {
    throw FormatError({.file = shard.path, .offset = member.data},
                      fmt::format("label \"{}\" is not a decimal integer", member.name));
  }
  return *label;
}

class IndexBuilder {
 public:
  IndexBuilder(const PackedFile& shard, PackedReads& reads) : shard_(shard), reads_(reads) {}

  void visit(const TarMember& member) {
    const auto name = split_member_name(member.name);
    if (member.is_file && name && is_label_extension(name->extension)) {
      labels_[std::string(name->stem)] = read_label(shard_, reads_, member);
    } else if (member.is_file && name && image_stem(member.name)) {
      require_plausible_size(member.size, {.file = shard_.path, .offset = member.header});
      index_.records.push_back({member.name, member.data, member.size, kNoLabel});
    } else {
      ++index_.ignored;
    }
  }

  ShardIndex finish(bool has_end_mark) {
    index_.has_end_mark = has_end_mark;
    for (ShardRecord& record : index_.records) {
      const auto label = labels_.find(std::string(split_member_name(record.name)->stem));
      if (label != labels_.end()) record.label = label->second;
    }
    return std::move(index_);
  }

 private:
  const PackedFile& shard_;
  PackedReads& reads_;
  ShardIndex index_;
  std::unordered_map<std::string, std::int64_t> labels_;  // by stem; may precede images
};

template <typename T>
void put(std::string& out, T value) {
  char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  out.append(bytes, sizeof(T));
}

/// Takes values off the front; good() becomes false when there are too few bytes.
class Source {
 public:
  explicit Source(std::string_view bytes) : rest_(bytes) {}

  template <typename T>
  T number() {
    T value{};
    const std::string_view bytes = text(sizeof(T));
    if (bytes.size() == sizeof(T)) std::memcpy(&value, bytes.data(), sizeof(T));
    return value;
  }

  std::string_view text(std::size_t length) {
    if (length > rest_.size()) {
      good_ = false;
      return {};
    }
    const std::string_view taken = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return taken;
  }

  [[nodiscard]] bool good() const { return good_; }
  [[nodiscard]] bool at_end() const { return rest_.empty(); }

 private:
  std::string_view rest_;
  bool good_ = true;
};

std::optional<ShardRecord> parse_record(Source& source, std::uint64_t shard_size) {
  ShardRecord record{{},
                     source.number<std::uint64_t>(),
                     source.number<std::uint64_t>(),
                     source.number<std::int64_t>()};
  record.name = source.text(source.number<std::uint32_t>());
  const bool fits = record.offset <= shard_size && record.size <= shard_size - record.offset;
  if (!source.good() || !fits || !split_member_name(record.name)) return std::nullopt;
  return record;
}

std::optional<ShardIndex> load_shard_index(const std::string& index_path, const PackedFile& shard,
                                           PackedReads& reads) {
  try {
    const std::optional<PackedFile> index = reads.open_if_there(index_path);
    // A record takes three blocks of the shard at least, and far less of the index.
    if (!index || index->size > shard.size + kIndexMagic.size()) return std::nullopt;
    if (is_remote(shard.path) && index->mtime_ns < shard.mtime_ns) return std::nullopt;
    const Bytes bytes = reads.read(*index, 0, index->size);
    return parse_shard_index({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, shard);
  } catch (const Error&) {
    return std::nullopt;  // An unreadable index counts as missing.
  }
}

// Replaces only feedrate's own index, not another program's file of the same name.
bool may_replace(const std::string& index_path) {
  std::error_code error;
  if (!std::filesystem::exists(index_path, error)) return true;
  try {
    const OpenFile file = open_regular_file(index_path);
    std::string magic(kAnyIndexMagic.size(), '\0');
    magic.resize(read_at(file.fd.get(), std::as_writable_bytes(std::span(magic)), 0, index_path));
    return magic == kAnyIndexMagic;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

std::string format_shard_index(const ShardIndex& index, const PackedFile& shard) {
  std::string bytes(kIndexMagic);
  put(bytes, shard.size);
  put(bytes, shard.mtime_ns);
  put(bytes, index.ignored);
  put(bytes, std::uint64_t{index.has_end_mark});
  put(bytes, std::uint64_t{index.records.size()});
  for (const ShardRecord& record : index.records) {
    put(bytes, record.offset);
    put(bytes, record.size);
    put(bytes, record.label);
    put(bytes, static_cast<std::uint32_t>(record.name.size()));
    bytes += record.name;
  }
  put(bytes, fnv1a(bytes));
  return bytes;
}

std::optional<ShardIndex> parse_shard_index(std::string_view bytes, const PackedFile& shard) {
  constexpr std::size_t kChecksumBytes = sizeof(std::uint64_t);
  if (bytes.size() < kChecksumBytes) return std::nullopt;
  const std::string_view body = bytes.substr(0, bytes.size() - kChecksumBytes);
  if (Source(bytes.substr(body.size())).number<std::uint64_t>() != fnv1a(body)) return std::nullopt;
  Source source(body);
  if (source.text(kIndexMagic.size()) != kIndexMagic ||
      source.number<std::uint64_t>() != shard.size) {
    return std::nullopt;
  }
  const auto mtime_ns = source.number<std::int64_t>();
  if (mtime_ns != shard.mtime_ns && !is_remote(shard.path)) return std::nullopt;
  ShardIndex index{.records = {}, .ignored = source.number<std::uint64_t>()};
  const auto end_marks = source.number<std::uint64_t>();
  if (end_marks > 1) return std::nullopt;
  index.has_end_mark = end_marks == 1;
  for (auto count = source.number<std::uint64_t>(); count > 0; --count) {
    auto record = parse_record(source, shard.size);
    if (!record) return std::nullopt;
    index.records.push_back(*std::move(record));
  }
  if (!source.good() || !source.at_end()) return std::nullopt;
  return index;
}

ShardIndex open_shard_index(const PackedFile& shard, PackedReads& reads) {
  const std::string index_path = shard.path + ".idx";
  if (auto cached = load_shard_index(index_path, shard, reads)) return *std::move(cached);
  IndexBuilder builder(shard, reads);
  const bool has_end_mark =
      walk_tar(shard, reads, [&](const TarMember& member) { builder.visit(member); });
  ShardIndex index = builder.finish(has_end_mark);
  if (!is_remote(shard.path) && may_replace(index_path)) {
    replace_index(index_path, format_shard_index(index, shard));
  }
  return index;
}

}  // namespace feedrate
