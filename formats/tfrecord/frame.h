// SPDX-License-Identifier: Apache-2.0
// How TFRecord stores one record: its length, a checksum of that, its bytes, a checksum of those.
// Pure functions; any thread.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/units.h"

namespace feedrate {

/// Before a record: length (8 bytes, little-endian) and its checksum (4).
inline constexpr std::size_t kFrameHeader = 12;
/// After a record: its checksum.
inline constexpr std::size_t kFrameFooter = 4;

/// The length that a frame announces; empty if its checksum is wrong or there are fewer bytes than
/// kFrameHeader.
[[nodiscard]] std::optional<std::uint64_t> frame_length(Bytes header) noexcept;

/// Whether the checksum after a record is that of its bytes. REQUIRES: footer.size() >=
/// kFrameFooter
[[nodiscard]] bool footer_matches(Bytes record, Bytes footer) noexcept;

/// The record in its frame.
[[nodiscard]] std::string format_frame(std::string_view record);

}  // namespace feedrate
