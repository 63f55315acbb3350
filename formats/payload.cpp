// SPDX-License-Identifier: Apache-2.0
#include "formats/payload.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace feedrate {
namespace {

constexpr std::array<unsigned char, 3> kJpeg{0xFF, 0xD8, 0xFF};
constexpr std::array<unsigned char, 8> kPng{0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};

template <std::size_t N>
bool starts_with(Bytes bytes, const std::array<unsigned char, N>& magic) noexcept {
  return bytes.size() >= N &&
         std::equal(magic.begin(), magic.end(), bytes.begin(),
                    [](unsigned char a, std::byte b) { return std::byte{a} == b; });
}

std::string_view name_of(Payload payload) noexcept {
  switch (payload) {
    case Payload::kEncoded:
      return "an encoded image";
    case Payload::kPixels:
      return "pixels";
    case Payload::kBytes:
      break;
  }
  return "opaque bytes";
}

}  // namespace

bool looks_like_jpeg(Bytes bytes) noexcept { return starts_with(bytes, kJpeg); }

bool looks_like_png(Bytes bytes) noexcept { return starts_with(bytes, kPng); }

std::string_view extension_for(Bytes bytes) noexcept {
  if (looks_like_jpeg(bytes)) return ".jpg";
  if (looks_like_png(bytes)) return ".png";
  return {};
}

void require_plausible_size(std::uint64_t size, const DataLocation& location) {
  if (size <= kMaxRecordBytes) return;
  throw FormatError(
      location, fmt::format("a record of {} bytes; must have at most {}", size, kMaxRecordBytes));
}

void require_payload(const Record& record, Payload wanted, const std::string& path) {
  if (record.kind != wanted) {
    throw FormatError({.file = path},
                      fmt::format("record \"{}\" holds {}; this format stores {}", record.key,
                                  name_of(record.kind), name_of(wanted)));
  }
  if (record.kind == Payload::kPixels && record.payload.size() != record.shape.size()) {
    throw FormatError({.file = path},
                      fmt::format("record \"{}\" has {} bytes, but its shape {}×{}×{} needs {}",
                                  record.key, record.payload.size(), record.shape.height,
                                  record.shape.width, record.shape.channels, record.shape.size()));
  }
}

std::string_view image_extension(const Record& record, const std::string& path) {
  require_payload(record, Payload::kEncoded, path);
  const std::string_view extension = extension_for(record.payload);
  if (!extension.empty()) return extension;
  throw FormatError({.file = path},
                    fmt::format("record \"{}\" is neither JPEG nor PNG", record.key));
}

}  // namespace feedrate
