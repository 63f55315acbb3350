// SPDX-License-Identifier: Apache-2.0
#include "formats/zarr/zarr_rows.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <limits>

#include <fmt/format.h>

#include "core/crc32c.h"
#include "formats/load.h"
#include "formats/payload.h"
#include "formats/remote/remote_path.h"

namespace feedrate {
namespace {

/// Limit of one read(), unless one row is larger.
constexpr std::uint64_t kRowsBytes = std::uint64_t{1} << 20;
constexpr std::uint64_t kIndexEntryBytes = 2 * sizeof(std::uint64_t);
constexpr std::uint64_t kNoChunk = std::numeric_limits<std::uint64_t>::max();

// chunk_path() that reuses the memory of `path`.
void set_chunk_path(const ZarrArray& array, std::uint64_t file, std::string& path) {
  path.clear();
  fmt::format_to(std::back_inserter(path), "{}{}{}", array.chunk_prefix, file, array.chunk_suffix);
}

std::string wrong_size_text(std::uint64_t size, std::uint64_t wanted) {
  return fmt::format("the chunk has {} bytes; must have {}", size, wanted);
}

}  // namespace

ZarrRows::ZarrRows(const ZarrArray& array, const ReadOptions& options)
    : array_(array),
      order_(options.order),
      row_bytes_(row_bytes(array)),
      in_objects_(!array.shards && is_remote(array.chunk_prefix)),
      reads_(options) {}

Bytes ZarrRows::read(std::uint64_t index, std::uint64_t most) {
  const std::uint64_t number = index / array_.file_rows;
  location_.record = index;
  if (file_number_ != number) {
    file_number_.reset();
    decoded_chunk_.reset();
    set_chunk_path(array_, number, location_.file);
    in_objects_ ? fetch_object(number) : open_file();
    file_number_ = number;
  }
  const std::uint64_t chunk_rows = array_.chunk_rows();
  const std::uint64_t row = index % chunk_rows;
  const std::uint64_t count =
      std::min({most, chunk_rows - row,
                std::max<std::uint64_t>(kRowsBytes / std::max<std::uint64_t>(row_bytes_, 1), 1)});
  if (in_objects_) {
    return decoded_chunk_ ? chunk_.subspan(row * row_bytes_, count * row_bytes_) : fill_rows(count);
  }
  const std::uint64_t in_file = index % array_.file_rows / chunk_rows;
  const std::optional<Extent> chunk = find_chunk(in_file);
  if (!chunk) return fill_rows(count);
  if (array_.codecs.empty()) return read_rows(*chunk, row, count);
  if (decoded_chunk_ != index / chunk_rows) {
    decoded_chunk_.reset();
    require_plausible_size(chunk->size, location_);
    decode_chunk(read_exactly(chunk->offset, chunk->size));
    decoded_chunk_ = index / chunk_rows;
  }
  return chunk_.subspan(row * row_bytes_, count * row_bytes_);
}

void ZarrRows::expect(std::span<const std::uint64_t> indices) {
  if (array_.shards) return;
  std::uint64_t last = in_objects_ ? file_number_.value_or(kNoChunk) : kNoChunk;
  for (const std::uint64_t index : indices) {
    const std::uint64_t number = index / array_.file_rows;
    const bool is_read_whole = in_objects_ || !array_.codecs.empty();
    if (is_read_whole && number == last) continue;
    last = number;
    set_chunk_path(array_, number, expected_path_);
    if (is_read_whole) {
      reads_.expect_whole(expected_path_);
      continue;
    }
    try {
      const PackedFile file = reads_.open(expected_path_);
      reads_.expect(file, index % array_.file_rows * row_bytes_, row_bytes_);
      reads_.ask();
    } catch (const Error&) {  // A later read reports the error.
    }
  }
  reads_.ask();
}

void ZarrRows::open_file() {
  has_file_ = reads_.open_into(file_, location_.file);
  if (!has_file_) return;
  if (array_.codecs.empty() || array_.shards) prepare(file_, order_);
  if (array_.shards) read_index();
}

void ZarrRows::fetch_object(std::uint64_t number) {
  const std::optional<Bytes> bytes = reads_.read_whole(location_);
  if (!bytes) return;
  const std::uint64_t size = array_.chunk_rows() * row_bytes_;
  if (!array_.codecs.empty()) {
    decode_chunk(*bytes);
  } else if (bytes->size() == size) {
    chunk_ = *bytes;
  } else {
    throw FormatError(location_, wrong_size_text(bytes->size(), size));
  }
  decoded_chunk_ = number;
}

void ZarrRows::read_index() {
  const std::uint64_t entries = array_.file_rows / array_.shards->rows;
  const std::uint64_t crc = array_.shards->index_checksum ? sizeof(std::uint32_t) : 0;
  const std::uint64_t size = entries * kIndexEntryBytes + crc;
  require_plausible_size(size, location_);
  if (size > file_.size) {
    throw FormatError(
        location_, fmt::format("the shard has {} bytes; its index of {} chunks has {}", file_.size,
                               entries, size));
  }
  const Bytes bytes = read_exactly(array_.shards->index_first ? 0 : file_.size - size, size);
  if (crc > 0 && load<std::uint32_t>(bytes, size - crc) != crc32c(bytes.first(size - crc))) {
    throw FormatError(location_, "the shard's index is damaged: its checksum does not match");
  }
  index_.clear();
  for (std::uint64_t at = 0; at < size - crc; at += kIndexEntryBytes) {
    index_.push_back({load<std::uint64_t>(bytes, at), load<std::uint64_t>(bytes, at + 8)});
  }
}

std::optional<ZarrRows::Extent> ZarrRows::find_chunk(std::uint64_t in_file) const {
  if (!has_file_) return std::nullopt;
  if (!array_.shards) return Extent{0, file_.size};
  const Extent& chunk = index_[in_file];
  if (chunk.offset == kNoChunk && chunk.size == kNoChunk) return std::nullopt;
  if (chunk.offset > file_.size || chunk.size > file_.size - chunk.offset) {
    throw FormatError(location_,
                      fmt::format("the shard's index is damaged: chunk {} of {} bytes at "
                                  "{} exceeds a file of {} bytes",
                                  in_file, chunk.size, chunk.offset, file_.size));
  }
  return chunk;
}

Bytes ZarrRows::read_rows(const Extent& chunk, std::uint64_t row, std::uint64_t count) {
  const std::uint64_t size = array_.chunk_rows() * row_bytes_;
  if (chunk.size != size) {
    throw FormatError(location_, wrong_size_text(chunk.size, size));
  }
  return read_exactly(chunk.offset + row * row_bytes_, count * row_bytes_);
}

void ZarrRows::decode_chunk(Bytes encoded) {
  chunk_ = decoder_.decode(encoded, array_.codecs, array_.chunk_rows() * row_bytes_, location_);
}

Bytes ZarrRows::fill_rows(std::uint64_t count) {
  const MutableBytes rows = fill_.take(count * row_bytes_);
  for (std::size_t at = 0; at < rows.size(); at += array_.element_bytes) {
    std::memcpy(rows.data() + at, &array_.fill, array_.element_bytes);
  }
  return rows;
}

Bytes ZarrRows::read_exactly(std::uint64_t offset, std::uint64_t size) {
  const Bytes bytes = reads_.read(file_, offset, size);
  if (bytes.size() < size) {
    throw FormatError(location_, "the file ends inside the chunk; it was truncated while open");
  }
  return bytes;
}

}  // namespace feedrate
