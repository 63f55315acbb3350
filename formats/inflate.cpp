#include "formats/inflate.h"

#include <new>

#include <libdeflate.h>

namespace feedrate {
namespace {

/// zlib refuses distances beyond the window that the stream's first byte announces; libdeflate does
/// not look.
bool window_holds(Bytes stream, std::size_t size) {
  constexpr unsigned kLargest = 15;  // 32 KiB: no distance is longer.
  const unsigned bits = (std::to_integer<unsigned>(stream[0]) >> 4) + 8;
  return bits == kLargest || (std::size_t{1} << bits) >= size;
}

libdeflate_decompressor* handle(void* state) {
  return static_cast<libdeflate_decompressor*>(state);
}

bool decompress(void* state, Bytes bytes, MutableBytes target, std::size_t& used) noexcept {
  return libdeflate_zlib_decompress_ex(handle(state), bytes.data(), bytes.size(), target.data(),
                                       target.size(), &used, nullptr) == LIBDEFLATE_SUCCESS;
}

}  // namespace

void Inflater::Free::operator()(void* state) const noexcept {
  libdeflate_free_decompressor(handle(state));
}

Inflater::Inflater() : state_(libdeflate_alloc_decompressor()) {
  if (state_ == nullptr) throw std::bad_alloc();
}

bool Inflater::inflate(Bytes bytes, MutableBytes target) const noexcept {
  std::size_t used = 0;
  return decompress(state_.get(), bytes, target, used);
}

bool Inflater::inflate_strictly(Bytes stream, MutableBytes target) const noexcept {
  std::size_t used = 0;
  return decompress(state_.get(), stream, target, used) && used == stream.size() &&
         window_holds(stream, target.size());
}

}  // namespace feedrate
