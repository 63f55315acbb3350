#include "formats/hdf5/hdf5_lz4.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include <lz4.h>

namespace feedrate {
namespace {

/// Takes a number off the front; nothing where the bytes have ended.
std::optional<std::uint64_t> take_number(Bytes& bytes, std::size_t size) noexcept {
  if (bytes.size() < size) return std::nullopt;
  std::uint64_t number = 0;
  for (const std::byte byte : bytes.first(size)) {
    number = number << 8 | std::to_integer<std::uint64_t>(byte);
  }
  bytes = bytes.subspan(size);
  return number;
}

bool unpack_block(Bytes packed, MutableBytes target) noexcept {
  if (packed.size() == target.size()) {
    std::copy(packed.begin(), packed.end(), target.begin());
    return true;
  }
  // liblz4 counts in int.
  if (packed.size() > LZ4_MAX_INPUT_SIZE || target.size() > LZ4_MAX_INPUT_SIZE) return false;
  const int size = LZ4_decompress_safe(
      reinterpret_cast<const char*>(packed.data()), reinterpret_cast<char*>(target.data()),
      static_cast<int>(packed.size()), static_cast<int>(target.size()));
  return size == static_cast<int>(target.size());
}

}  // namespace

bool unpack_hdf5_lz4(Bytes chunk, MutableBytes target) noexcept {
  const auto whole = take_number(chunk, 8);
  const auto block = take_number(chunk, 4);
  if (whole != target.size() || block.value_or(0) == 0) return false;
  while (!target.empty()) {
    const std::size_t size = std::min<std::uint64_t>(*block, target.size());
    const auto packed = take_number(chunk, 4);
    if (!packed || *packed > chunk.size()) return false;
    if (!unpack_block(chunk.first(*packed), target.first(size))) return false;
    chunk = chunk.subspan(*packed);
    target = target.subspan(size);
  }
  return true;
}

}  // namespace feedrate
