// SPDX-License-Identifier: Apache-2.0
#include "formats/tfrecord/tfrecord_index.h"

#include <charconv>
#include <filesystem>
#include <iterator>
#include <span>

#include <fmt/format.h>

#include "core/error.h"
#include "formats/payload.h"
#include "formats/remote/remote_path.h"
#include "formats/tfrecord/frame.h"

namespace feedrate {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kFrameBytes = kFrameHeader + kFrameFooter;
constexpr std::uint64_t kMaxIndexBytes = std::uint64_t{1} << 32;

[[noreturn]] void fail(const std::string& path, std::uint64_t offset, std::string_view problem) {
  throw FormatError({.file = path, .offset = offset}, problem);
}

void refuse_start(Bytes start, const std::string& path) {
  if (start.size() >= 2 && start[0] == std::byte{0x1F} && start[1] == std::byte{0x8B}) {
    fail(path, 0,
         fmt::format(
             "is compressed with gzip, which prevents random access; decompress it: gunzip {}",
             path));
  }
  fail(path, 0, "is not a TFRecord file: must begin with a length and its checksum");
}

std::uint64_t frame_size_at(const PackedFile& file, PackedReads& reads, std::uint64_t at) {
  const std::string& path = file.path;
  const Bytes read = reads.read(file, at, kFrameHeader);
  const std::optional<std::uint64_t> length = frame_length(read);
  if (!length && at == 0) refuse_start(read, path);
  if (read.size() < kFrameHeader) fail(path, at, "the file ends inside a length; it is truncated");
  if (!length) fail(path, at, "the checksum of a length is wrong");
  const std::uint64_t left = file.size - at;
  if (left < kFrameBytes || *length > left - kFrameBytes) {
    fail(path, at,
         fmt::format("a record of {} bytes does not fit in the file of {} bytes; it is "
                     "truncated",
                     *length, file.size));
  }
  require_plausible_size(*length, {.file = path, .offset = at});
  return *length + kFrameBytes;
}

std::vector<TfrecordFrame> walk(const PackedFile& file, PackedReads& reads) {
  std::vector<TfrecordFrame> frames;
  for (std::uint64_t at = 0; at < file.size; at += frames.back().size) {
    frames.push_back({at, frame_size_at(file, reads, at)});
  }
  return frames;
}

// Whether the frames fill the file without gaps. Those of a stale index do not.
bool fills(const std::vector<TfrecordFrame>& frames, const PackedFile& file) {
  std::uint64_t at = 0;
  for (const TfrecordFrame& frame : frames) {
    const bool plausible = frame.size >= kFrameBytes && frame.size - kFrameBytes <= kMaxRecordBytes;
    if (frame.offset != at || !plausible || frame.size > file.size - at) return false;
    at += frame.size;
  }
  return at == file.size;
}

/// The existing index; `frames` is empty if it does not match the file.
struct KeptIndex {
  bool may_be_replaced = true;
  std::vector<TfrecordFrame> frames = {};
};

KeptIndex kept_index(const std::string& index_path, const PackedFile& file, PackedReads& reads) {
  try {
    const std::optional<PackedFile> index = reads.open_if_there(index_path);
    if (!index) return {};
    if (index->size > kMaxIndexBytes) return {.may_be_replaced = false};
    const Bytes bytes = reads.read(*index, 0, index->size);
    auto frames = parse_tfrecord_index({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    // Replaces only an index, not another program's file of the same name.
    if (!frames) return {.may_be_replaced = false};
    if (index->mtime_ns < file.mtime_ns || !fills(*frames, file)) return {};
    return {.frames = *std::move(frames)};
  } catch (const Error&) {
    return {.may_be_replaced = false};  // An unreadable index counts as missing.
  }
}

std::optional<std::uint64_t> take_number(std::string_view& text, char end) {
  std::uint64_t value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const auto length = static_cast<std::size_t>(stop - text.data());
  if (error != std::errc{} || length == text.size() || text[length] != end) return std::nullopt;
  text.remove_prefix(length + 1);
  return value;
}

}  // namespace

std::vector<TfrecordFrame> open_tfrecord_index(const PackedFile& file, PackedReads& reads) {
  const std::string index_path = file.path + ".idx";
  KeptIndex kept = kept_index(index_path, file, reads);
  if (!kept.frames.empty()) return std::move(kept.frames);
  std::vector<TfrecordFrame> frames = walk(file, reads);
  if (kept.may_be_replaced && !is_remote(file.path)) {
    replace_index(index_path, format_tfrecord_index(frames));
  }
  return frames;
}

std::string format_tfrecord_index(const std::vector<TfrecordFrame>& frames) {
  std::string text;
  for (const TfrecordFrame& frame : frames) {
    fmt::format_to(std::back_inserter(text), "{} {}\n", frame.offset, frame.size);
  }
  return text;
}

std::optional<std::vector<TfrecordFrame>> parse_tfrecord_index(std::string_view text) {
  std::vector<TfrecordFrame> frames;
  while (!text.empty()) {
    const auto offset = take_number(text, ' ');
    const auto size = offset ? take_number(text, '\n') : std::nullopt;
    if (!size) return std::nullopt;
    frames.push_back({*offset, *size});
  }
  return frames;
}

}  // namespace feedrate
