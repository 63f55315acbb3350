// SPDX-License-Identifier: Apache-2.0
// Segments of POSIX shared memory and mappings of them, owned by the rule of zero. Any thread, one
// at a time an object.
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

/// Creates and maps a segment as torch <= 2.9 does: its pages are not allocated before they are
/// touched, so a full /dev/shm ends the process with SIGBUS. (torch 2.10 calls posix_fallocate
/// first.) `name` begins with '/'. Throws SystemError; on failure no name is left.
[[nodiscard]] Segment create_segment(const std::string& name, std::size_t bytes);

/// Maps a segment that is open. `name` is for the message. Throws Error.
[[nodiscard]] Mapping map_segment(const UniqueFd& descriptor, std::size_t bytes,
                                  const std::string& name);

/// Memory without a name that processes forked later share. Takes no room before it is touched.
[[nodiscard]] Mapping map_for_children(std::size_t bytes, const std::string& purpose);

/// Unpredictable, so that no name of a segment is used twice, by whatever process.
[[nodiscard]] std::uint64_t random_tag();

}  // namespace feedrate
