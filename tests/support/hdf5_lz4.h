// Chunks packed by LZ4 as the plugin of HDF5's registry packs them, and that plugin's place in a
// libhdf5 that has none.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include <hdf5.h>
#include <lz4.h>

#include "formats/hdf5/hdf5_filters.h"

namespace feedrate::testing {

inline void put_big_endian(std::string& out, std::uint64_t value, int bytes) {
  for (int i = bytes - 1; i >= 0; --i) out.push_back(static_cast<char>(value >> (8 * i)));
}

inline std::uint64_t big_endian_at(std::string_view bytes, std::size_t at, int count) {
  std::uint64_t value = 0;
  for (int i = 0; i < count; ++i) value = value << 8 | static_cast<unsigned char>(bytes[at++]);
  return value;
}

/// A block that would not get smaller is stored.
inline std::string hdf5_lz4_chunk(std::string_view bytes, std::size_t block_bytes) {
  std::string chunk;
  put_big_endian(chunk, bytes.size(), 8);
  put_big_endian(chunk, block_bytes, 4);
  for (std::size_t at = 0; at < bytes.size(); at += block_bytes) {
    const std::string_view block = bytes.substr(at, block_bytes);
    std::string packed(block.size(), '\0');
    // Room for less than the block: what is 0 bytes then is stored.
    const int size =
        LZ4_compress_default(block.data(), packed.data(), static_cast<int>(block.size()),
                             static_cast<int>(block.size()) - 1);
    packed = size > 0 ? packed.substr(0, static_cast<std::size_t>(size)) : std::string(block);
    put_big_endian(chunk, packed.size(), 4);
    chunk += packed;
  }
  return chunk;
}

/// Of a sound chunk only.
inline std::string from_hdf5_lz4_chunk(std::string_view chunk) {
  std::string bytes(big_endian_at(chunk, 0, 8), '\0');
  const std::size_t block_bytes = big_endian_at(chunk, 8, 4);
  std::size_t from = 12;
  for (std::size_t at = 0; at < bytes.size(); at += block_bytes) {
    const std::size_t size = std::min(block_bytes, bytes.size() - at);
    const std::size_t packed = big_endian_at(chunk, from, 4);
    from += 4;
    if (packed == size) {
      bytes.replace(at, size, chunk.substr(from, size));
    } else {
      (void)LZ4_decompress_safe(chunk.data() + from, bytes.data() + at, static_cast<int>(packed),
                                static_cast<int>(size));
    }
    from += packed;
  }
  return bytes;
}

/// HDF5 calls it; the one value of its settings are the bytes of a block.
inline std::size_t hdf5_lz4_filter(unsigned flags, std::size_t /*values*/, const unsigned* settings,
                                   std::size_t size, std::size_t* capacity, void** buffer) {
  const std::string_view given(static_cast<const char*>(*buffer), size);
  const std::string result = (flags & H5Z_FLAG_REVERSE) != 0 ? from_hdf5_lz4_chunk(given)
                                                             : hdf5_lz4_chunk(given, settings[0]);
  void* memory = H5allocate_memory(result.size(), false);
  if (memory == nullptr) return 0;
  std::copy(result.begin(), result.end(), static_cast<char*>(memory));
  H5free_memory(*buffer);
  *buffer = memory;
  *capacity = result.size();
  return result.size();
}

/// A plan of a dataset whose chunks are packed in blocks of so many bytes, by a filter that HDF5
/// has from now on. HDF5's own result. In an Hdf5Session.
inline herr_t set_hdf5_lz4(hid_t plan, unsigned block_bytes) {
  constexpr H5Z_class2_t kClass{H5Z_CLASS_T_VERS, kHdf5Lz4Filter, 1, 1, "lz4", nullptr,
                                nullptr,          hdf5_lz4_filter};
  if (H5Zregister(&kClass) < 0) return -1;
  // HDF5 refuses filters of variable-length values that have to be used.
  return H5Pset_filter(plan, kHdf5Lz4Filter, H5Z_FLAG_OPTIONAL, 1, &block_bytes);
}

}  // namespace feedrate::testing
