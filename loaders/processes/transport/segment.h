// SPDX-License-Identifier: Apache-2.0
// POSIX shared memory segments and their mappings, freed by their destructors. Any thread; an
// object is used by one at a time.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "core/host/file.h"
#include "core/units.h"

namespace feedrate {

struct UnmapMemory {
  std::size_t size = 0;
  void operator()(std::byte* data) const noexcept;
};

/// Memory that processes share.
class Mapping {
 public:
  Mapping() = default;
  Mapping(std::byte* data, std::size_t size) : data_(data, UnmapMemory{size}) {}

  [[nodiscard]] MutableBytes bytes() const noexcept {
    return {data_.get(), data_.get_deleter().size};
  }

 private:
  std::unique_ptr<std::byte, UnmapMemory> data_;
};

struct Segment {
  UniqueFd descriptor;
  Mapping memory;
};

/// Creates and maps a segment as torch <= 2.9 does: its pages are allocated at the first write, so
/// a full /dev/shm kills the process with SIGBUS. (torch 2.10 calls posix_fallocate first.) `name`
/// begins with '/'. Throws SystemError; on failure no name remains.
[[nodiscard]] Segment create_segment(const std::string& name, std::size_t bytes);

/// Maps an open segment. `name` appears in the error. Throws SystemError.
[[nodiscard]] Mapping map_segment(const UniqueFd& descriptor, std::size_t bytes,
                                  const std::string& name);

/// Maps anonymous memory that processes forked later share. Its pages are allocated at the first
/// write. Throws SystemError.
[[nodiscard]] Mapping map_for_children(std::size_t bytes, const std::string& purpose);

/// A random number, so that no two segments of any process have the same name.
[[nodiscard]] std::uint64_t random_tag();

}  // namespace feedrate
