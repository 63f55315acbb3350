// HDF5's heaps of variable-length values byte by byte, and the references into them.
#pragma once
#include <cstdint>
#include <string>

#include "tests/support/put_number.h"

namespace feedrate::testing {

/// An object of a heap, which is referred to once, and what is behind it up to the next.
inline std::string heap_object(std::uint16_t number, const std::string& value) {
  std::string bytes;
  put(bytes, number);
  put(bytes, std::uint16_t{1});
  put(bytes, std::uint32_t{0});
  put(bytes, std::uint64_t{value.size()});
  bytes += value;
  bytes.resize((bytes.size() + 7) / 8 * 8, '\0');
  return bytes;
}

/// The element of a dataset: a value of so many bytes is object `number` of the heap at `heap`.
inline std::string heap_reference(std::uint32_t size, std::uint64_t heap, std::uint32_t number) {
  std::string bytes;
  put(bytes, size);
  put(bytes, heap);
  put(bytes, number);
  return bytes;
}

/// A heap of these objects, and of free space where there is some.
inline std::string heap_collection(const std::string& objects, std::uint64_t free_bytes) {
  std::string bytes("GCOL\1\0\0\0", 8);
  put(bytes, std::uint64_t{16 + objects.size() + free_bytes});
  bytes += objects;
  if (free_bytes == 0) return bytes;
  put(bytes, std::uint64_t{0});
  put(bytes, free_bytes);
  return bytes + std::string(free_bytes - 16, '\0');
}

}  // namespace feedrate::testing
