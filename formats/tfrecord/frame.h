// SPDX-License-Identifier: Apache-2.0
// TFRecord's frame of one record: length, checksum of the length, bytes, checksum of the bytes.
// Pure functions; any thread.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/units.h"

namespace feedrate {

/// Size of the header: length (8 bytes, little-endian) and its checksum (4).
inline constexpr std::size_t kFrameHeader = 12;
/// Size of the footer, the checksum of the record.
inline constexpr std::size_t kFrameFooter = 4;

/// The length in a frame's header; empty if its checksum is wrong or `header` is shorter than
/// kFrameHeader.
[[nodiscard]] std::optional<std::uint64_t> frame_length(Bytes header) noexcept;

/// Whether `footer` is the checksum of `record`. REQUIRES: footer.size() >= kFrameFooter
[[nodiscard]] bool footer_matches(Bytes record, Bytes footer) noexcept;

[[nodiscard]] std::string format_frame(std::string_view record);

}  // namespace feedrate
