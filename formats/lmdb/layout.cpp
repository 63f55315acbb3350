// SPDX-License-Identifier: Apache-2.0
#include "formats/lmdb/layout.h"

#include <bit>
#include <cstring>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/parse_json.h"
#include "formats/load.h"

namespace feedrate {
namespace {

constexpr std::size_t kHeaderBytes = 16;
constexpr std::string_view kManifestMagic = "FRR1";
constexpr std::uint64_t kManifestVersion = 1;

static_assert(std::endian::native == std::endian::little, "values must be stored little-endian");

template <typename T>
void store(std::byte* out, T value) noexcept {
  std::memcpy(out, &value, sizeof(T));
}

// Refuses floats: converting 1e77 to an integer is undefined, and 1.5 would be rounded.
std::uint64_t whole_number(const nlohmann::json& manifest, const char* name,
                           const std::string& path) {
  const nlohmann::json& value = manifest.at(name);
  if (value.is_number_unsigned()) return value.get<std::uint64_t>();
  throw FormatError({.file = path}, fmt::format("the value of {} is damaged: {} is {}",
                                                kLmdbManifestKey, name, value.dump()));
}

}  // namespace

std::string lmdb_key(std::size_t index) { return fmt::format("{:0{}}", index, kLmdbIndexDigits); }

std::vector<std::byte> encode_lmdb_value(const Record& record) {
  const Bytes key = std::as_bytes(std::span(record.key));
  std::vector<std::byte> value(kHeaderBytes + key.size() + record.payload.size());
  std::memcpy(value.data(), kManifestMagic.data(), kManifestMagic.size());
  store(value.data() + 4, static_cast<std::uint32_t>(key.size()));
  store(value.data() + 8, record.label);
  std::copy(key.begin(), key.end(), value.data() + kHeaderBytes);
  std::copy(record.payload.begin(), record.payload.end(), value.data() + kHeaderBytes + key.size());
  return value;
}

std::optional<Record> decode_lmdb_value(Bytes value) noexcept {
  if (value.size() < kHeaderBytes ||
      std::memcmp(value.data(), kManifestMagic.data(), kManifestMagic.size()) != 0) {
    return std::nullopt;
  }
  const auto key_size = std::size_t{load<std::uint32_t>(value, 4)};
  if (key_size > value.size() - kHeaderBytes) return std::nullopt;
  const Bytes key = value.subspan(kHeaderBytes, key_size);
  return Record{.payload = value.subspan(kHeaderBytes + key_size),
                .label = load<std::int64_t>(value, 8),
                .key = {reinterpret_cast<const char*>(key.data()), key.size()}};
}

std::string format_lmdb_manifest(const LmdbManifest& manifest) {
  const nlohmann::ordered_json json{{"version", kManifestVersion},
                                    {"records", manifest.records},
                                    {"class_names", manifest.class_names}};
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

LmdbManifest parse_lmdb_manifest(std::string_view json, const std::string& path) {
  try {
    const auto parsed = parse_json<nlohmann::json>(
        json, fmt::format("{}: the value of {} is damaged", path, kLmdbManifestKey));
    const std::uint64_t version = whole_number(parsed, "version", path);
    if (version != kManifestVersion) {
      throw FormatError({.file = path}, fmt::format("has layout version {}; must be {}", version,
                                                    kManifestVersion));
    }
    return {.records = whole_number(parsed, "records", path),
            .class_names = parsed.at("class_names").get<std::vector<std::string>>()};
  } catch (const nlohmann::json::exception& error) {
    throw FormatError({.file = path}, fmt::format("the value of {} is damaged: {}",
                                                  kLmdbManifestKey, error.what()));
  }
}

}  // namespace feedrate
