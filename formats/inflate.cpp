#include "formats/inflate.h"

#include <new>

#include <libdeflate.h>

namespace feedrate {
namespace {

libdeflate_decompressor* handle(void* state) {
  return static_cast<libdeflate_decompressor*>(state);
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
  return libdeflate_zlib_decompress_ex(handle(state_.get()), bytes.data(), bytes.size(),
                                       target.data(), target.size(), &used,
                                       nullptr) == LIBDEFLATE_SUCCESS;
}

}  // namespace feedrate
