#include "decode/plain_png.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "decode/pixel_limit.h"
#include "formats/crc32.h"

namespace feedrate {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::string_view kSignature = "\x89PNG\r\n\x1A\n"sv;
constexpr std::size_t kFrame = 12;  // Of a chunk: its length, its name and its checksum.
/// libpng refuses longer ones where the size of the image does not call for them.
constexpr std::size_t kLongestChunk = 8'000'000;
/// Deflate shrinks by no more.
constexpr std::size_t kMaxRatio = 1032;

std::uint32_t number_at(Bytes data, std::size_t at) {
  std::uint32_t value = 0;
  for (const std::byte byte : data.subspan(at, 4)) {
    value = value << 8 | std::to_integer<std::uint32_t>(byte);
  }
  return value;
}

struct Chunk {
  std::string_view name;
  Bytes data;
};

/// Takes whole chunks with right checksums off the front of a file.
class ChunkReader {
 public:
  /// None of what does not begin as PNG files do.
  explicit ChunkReader(Bytes file) {
    const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
    if (text.starts_with(kSignature)) rest_ = file.subspan(kSignature.size());
  }

  std::optional<Chunk> next() {
    if (rest_.size() < kFrame) return {};
    const std::size_t length = number_at(rest_, 0);
    if (length > kLongestChunk || length > rest_.size() - kFrame) return {};
    const Bytes checked = rest_.subspan(4, length + 4);
    if (crc32(checked) != number_at(rest_, length + 8)) return {};
    rest_ = rest_.subspan(length + kFrame);
    return Chunk{{reinterpret_cast<const char*>(checked.data()), 4}, checked.subspan(4)};
  }

 private:
  Bytes rest_;
};

/// What a decoder may pass over. Not tRNS, whose contents libpng looks at.
bool is_ancillary(std::string_view name) {
  const auto is_lower = [](char c) { return c >= 'a' && c <= 'z'; };
  const auto is_letter = [&](char c) { return is_lower(c) || (c >= 'A' && c <= 'Z'); };
  return is_lower(name[0]) && std::all_of(name.begin(), name.end(), is_letter) && name != "tRNS";
}

int channels_of(std::byte color_type) {
  switch (std::to_integer<int>(color_type)) {
    case 0:
      return 1;
    case 2:
      return 3;
    case 6:
      return 4;
    default:
      return 0;
  }
}

std::optional<ImageShape> shape_in(const Chunk& header) {
  if (header.name != "IHDR" || header.data.size() != 13) return {};
  const std::int64_t width = number_at(header.data, 0);
  const std::int64_t height = number_at(header.data, 4);
  // Eight bits; deflate, the five filters, not interlaced.
  constexpr std::array kRest{std::byte{0}, std::byte{0}, std::byte{0}};
  const int channels = channels_of(header.data[9]);
  if (header.data[8] != std::byte{8} || channels == 0 ||
      !std::equal(kRest.begin(), kRest.end(), header.data.begin() + 10)) {
    return {};
  }
  if (height == 0 || width == 0 || height > kMaxPixels / width) return {};
  return ImageShape{static_cast<int>(height), static_cast<int>(width), channels};
}

void append(std::vector<std::byte>& joined, Bytes part) {
  joined.insert(joined.end(), part.begin(), part.end());
}

/// The stream's parts, which follow one another; `chunk` is the first and then what comes after the
/// last.
Bytes stream_from(std::optional<Chunk>& chunk, ChunkReader& chunks,
                  std::vector<std::byte>& joined) {
  const Bytes first = chunk->data;
  chunk = chunks.next();
  if (!chunk || chunk->name != "IDAT") return first;
  joined.clear();
  append(joined, first);
  for (; chunk && chunk->name == "IDAT"; chunk = chunks.next()) append(joined, chunk->data);
  return joined;
}

std::optional<Chunk> next_critical(std::optional<Chunk> chunk, ChunkReader& chunks) {
  while (chunk && is_ancillary(chunk->name)) chunk = chunks.next();
  return chunk;
}

}  // namespace

std::optional<PlainPng> find_plain_png(Bytes file, std::vector<std::byte>& joined) {
  ChunkReader chunks(file);
  std::optional<Chunk> chunk = chunks.next();
  const std::optional<ImageShape> shape = chunk ? shape_in(*chunk) : std::nullopt;
  if (!shape) return {};
  chunk = next_critical(chunks.next(), chunks);
  if (!chunk || chunk->name != "IDAT") return {};
  const PlainPng png{*shape, stream_from(chunk, chunks, joined)};
  chunk = next_critical(chunk, chunks);
  if (!chunk || chunk->name != "IEND" || !chunk->data.empty()) return {};
  if (png.raw_bytes() / kMaxRatio > file.size()) return {};
  return png;
}

}  // namespace feedrate
