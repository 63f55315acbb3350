// SPDX-License-Identifier: Apache-2.0
// The kind of a record's payload, by its first bytes. Pure functions; any thread.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/error.h"
#include "core/units.h"
#include "formats/record.h"

namespace feedrate {

/// The maximum size of a record. A longer record is damage or an attack, and is refused before
/// memory is allocated for it.
inline constexpr std::uint64_t kMaxRecordBytes = std::uint64_t{1} << 30;

[[nodiscard]] bool looks_like_jpeg(Bytes bytes) noexcept;
[[nodiscard]] bool looks_like_png(Bytes bytes) noexcept;

/// ".jpg" or ".png"; empty if the bytes are neither.
[[nodiscard]] std::string_view extension_for(Bytes bytes) noexcept;

/// The extension of an encoded image to write. Throws FormatError as require_payload() does, and if
/// the bytes are neither.
[[nodiscard]] std::string_view image_extension(const Record& record, const std::string& path);

/// Throws FormatError above kMaxRecordBytes.
void require_plausible_size(std::uint64_t size, const DataLocation& location);

/// Throws FormatError if `record` is not of kind `wanted` or its size does not fit its shape.
void require_payload(const Record& record, Payload wanted, const std::string& path);

}  // namespace feedrate
