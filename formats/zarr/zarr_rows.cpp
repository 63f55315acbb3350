// SPDX-License-Identifier: Apache-2.0
#include "formats/zarr/zarr_rows.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <limits>
#include <system_error>

#include <fmt/format.h>

#include "formats/crc32c.h"
#include "formats/load.h"
#include "formats/payload.h"
#include "formats/read_ahead.h"

namespace feedrate {
namespace {

/// What one call returns at most, unless one row is larger.
constexpr std::uint64_t kRowsBytes = std::uint64_t{1} << 20;
constexpr std::uint64_t kIndexEntryBytes = 2 * sizeof(std::uint64_t);
constexpr std::uint64_t kNoChunk = std::numeric_limits<std::uint64_t>::max();

// Into memory that is there already.
void set_chunk_path(const ZarrArray& array, std::uint64_t file, std::string& path) {
  path.clear();
  fmt::format_to(std::back_inserter(path), "{}{}{}", array.chunk_prefix, file, array.chunk_suffix);
}

}  // namespace

ZarrRows::ZarrRows(const ZarrArray& array, ReadOrder order)
    : array_(array), order_(order), row_bytes_(row_bytes(array)) {}

Bytes ZarrRows::read(std::uint64_t index, std::uint64_t most) {
  const std::uint64_t number = index / array_.file_rows;
  location_.record = index;
  if (file_number_ != number) open_file(number);
  const std::uint64_t chunk_rows = array_.chunk_rows();
  const std::uint64_t row = index % chunk_rows;
  const std::uint64_t count =
      std::min({most, chunk_rows - row,
                std::max<std::uint64_t>(kRowsBytes / std::max<std::uint64_t>(row_bytes_, 1), 1)});
  const std::uint64_t in_file = index % array_.file_rows / chunk_rows;
  const std::optional<Extent> chunk = find_chunk(in_file);
  if (!chunk) return fill_rows(count);
  if (array_.codecs.empty()) return read_rows(*chunk, row, count);
  if (decoded_chunk_ != index / chunk_rows) {
    decoded_chunk_.reset();
    decode_chunk(*chunk);
    decoded_chunk_ = index / chunk_rows;
  }
  return chunk_.subspan(row * row_bytes_, count * row_bytes_);
}

void ZarrRows::expect(std::span<const std::uint64_t> indices) {
  if (array_.shards) return;
  std::uint64_t last = kNoChunk;
  for (const std::uint64_t index : indices) {
    const std::uint64_t number = index / array_.file_rows;
    if (!array_.codecs.empty() && number == last) continue;
    last = number;
    set_chunk_path(array_, number, expected_path_);
    if (!array_.codecs.empty()) {
      want_file(expected_path_);
      continue;
    }
    try {
      const OpenFile file = open_regular_file(expected_path_);
      extents_.add(file.fd.get(), index % array_.file_rows * row_bytes_, row_bytes_);
      extents_.ask();
    } catch (const Error&) {  // Reading says what is wrong.
    }
  }
}

void ZarrRows::open_file(std::uint64_t number) {
  file_number_.reset();
  file_.reset();
  decoded_chunk_.reset();
  set_chunk_path(array_, number, location_.file);
  try {
    file_ = open_regular_file(location_.file);
  } catch (const SystemError&) {
    std::error_code error;
    if (std::filesystem::exists(location_.file, error) || error) throw;
  }
  if (file_) {
    if (array_.codecs.empty() || array_.shards) advise(file_->fd.get(), order_);
    if (array_.shards) read_index();
  }
  file_number_ = number;
}

void ZarrRows::read_index() {
  const std::uint64_t entries = array_.file_rows / array_.shards->rows;
  const std::uint64_t crc = array_.shards->index_checksum ? sizeof(std::uint32_t) : 0;
  const std::uint64_t size = entries * kIndexEntryBytes + crc;
  require_plausible_size(size, location_);
  if (size > file_->size) {
    throw FormatError(
        location_, fmt::format("the shard has {} bytes; its index of {} chunks has {}", file_->size,
                               entries, size));
  }
  const Bytes bytes = read_exactly(array_.shards->index_first ? 0 : file_->size - size, size);
  if (crc > 0 && load<std::uint32_t>(bytes, size - crc) != crc32c(bytes.first(size - crc))) {
    throw FormatError(location_, "the shard's index is damaged: its checksum does not match");
  }
  index_.clear();
  for (std::uint64_t at = 0; at < size - crc; at += kIndexEntryBytes) {
    index_.push_back({load<std::uint64_t>(bytes, at), load<std::uint64_t>(bytes, at + 8)});
  }
}

std::optional<ZarrRows::Extent> ZarrRows::find_chunk(std::uint64_t in_file) const {
  if (!file_) return std::nullopt;
  if (!array_.shards) return Extent{0, file_->size};
  const Extent& chunk = index_[in_file];
  if (chunk.offset == kNoChunk && chunk.size == kNoChunk) return std::nullopt;
  if (chunk.offset > file_->size || chunk.size > file_->size - chunk.offset) {
    throw FormatError(location_,
                      fmt::format("the shard's index is damaged: chunk {} of {} bytes at "
                                  "{} does not lie in a file of {}",
                                  in_file, chunk.size, chunk.offset, file_->size));
  }
  return chunk;
}

Bytes ZarrRows::read_rows(const Extent& chunk, std::uint64_t row, std::uint64_t count) {
  const std::uint64_t size = array_.chunk_rows() * row_bytes_;
  if (chunk.size != size) {
    throw FormatError(location_,
                      fmt::format("the chunk has {} bytes; must have {}", chunk.size, size));
  }
  return read_exactly(chunk.offset + row * row_bytes_, count * row_bytes_);
}

void ZarrRows::decode_chunk(const Extent& chunk) {
  require_plausible_size(chunk.size, location_);
  chunk_ = decoder_.decode(read_exactly(chunk.offset, chunk.size), array_.codecs,
                           array_.chunk_rows() * row_bytes_, location_);
}

Bytes ZarrRows::fill_rows(std::uint64_t count) {
  const MutableBytes rows = fill_.take(count * row_bytes_);
  for (std::size_t at = 0; at < rows.size(); at += array_.element_bytes) {
    std::memcpy(rows.data() + at, &array_.fill, array_.element_bytes);
  }
  return rows;
}

Bytes ZarrRows::read_exactly(std::uint64_t offset, std::uint64_t size) {
  const MutableBytes bytes = buffer_.take(size);
  if (read_at(file_->fd.get(), bytes, offset, location_.file) < size) {
    throw FormatError(location_, "the file ends inside the chunk; it was truncated while open");
  }
  return bytes;
}

}  // namespace feedrate
