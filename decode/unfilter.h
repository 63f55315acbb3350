// Undoes the filters that PNG puts rows through before it compresses them. Pure functions; any
// thread.
#pragma once
#include <cstddef>
#include <cstdint>

namespace feedrate {

/// One row of 8-bit pixels with `channels` bytes each.
struct FilteredRow {
  std::uint8_t filter = 0;              ///< 0 none, 1 sub, 2 up, 3 average, 4 Paeth
  const std::uint8_t* bytes = nullptr;  ///< after the filter's; one more can be read
  const std::uint8_t* above = nullptr;  ///< the row above undone, at first zeros; one more too
  std::size_t size = 0;                 ///< of the row, in bytes; not 0
};

/// Writes `row.size` bytes to `target`, which may be `row.bytes` unless there are 3 channels. False
/// if there is no such filter. REQUIRES: channels is 1, 3 or 4
[[nodiscard]] bool unfilter(const FilteredRow& row, int channels, std::uint8_t* target) noexcept;

/// The same in plain C++, for machines without SSE2 and for tests.
[[nodiscard]] bool unfilter_plain(const FilteredRow& row, int channels,
                                  std::uint8_t* target) noexcept;

}  // namespace feedrate
