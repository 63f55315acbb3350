// Chunks that the LZ4 filter of HDF5's registry has packed (id 32004), by liblz4:
//
//   8 bytes   of the unpacked chunk, big-endian as all numbers here
//   4 bytes   of an unpacked block; the last may be shorter
//   then for each block 4 bytes of its packed size, and the block; one whose packed size is its
//   unpacked size is stored as it is
#pragma once
#include "core/units.h"

namespace feedrate {

/// True only if the chunk says that it holds as many bytes as `target` has, and every block is
/// whole and unpacks to its size. Otherwise `target` is unspecified. What follows the last block is
/// left out of account, as by the filter. Any thread.
[[nodiscard]] bool unpack_hdf5_lz4(Bytes chunk, MutableBytes target) noexcept;

}  // namespace feedrate
