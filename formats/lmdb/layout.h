// SPDX-License-Identifier: Apache-2.0
// feedrate's layout of records in an LMDB database; drawn in docs/formats.md. Pure functions; any
// thread.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/units.h"
#include "formats/record.h"

namespace feedrate {

/// The key of the dataset's manifest; sorts after all records.
inline constexpr std::string_view kLmdbManifestKey = "__feedrate__";
inline constexpr std::size_t kLmdbIndexDigits = 10;

/// The key of record `index`: decimal, padded so that LMDB's order is the dataset's.
[[nodiscard]] std::string lmdb_key(std::size_t index);

/// The value of a record: a header of 16 bytes, the key, the payload.
[[nodiscard]] std::vector<std::byte> encode_lmdb_value(const Record& record);
/// Returns a view into `value`; empty if it does not have this layout.
[[nodiscard]] std::optional<Record> decode_lmdb_value(Bytes value) noexcept;

struct LmdbManifest {
  std::uint64_t records = 0;
  std::vector<std::string> class_names;
};

[[nodiscard]] std::string format_lmdb_manifest(const LmdbManifest& manifest);
/// Throws FormatError naming `path`.
[[nodiscard]] LmdbManifest parse_lmdb_manifest(std::string_view json, const std::string& path);

}  // namespace feedrate
