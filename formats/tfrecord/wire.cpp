// SPDX-License-Identifier: Apache-2.0
#include "formats/tfrecord/wire.h"

namespace feedrate {
namespace {

constexpr unsigned kTypeBits = 3;

}  // namespace

std::optional<std::uint64_t> WireReader::varint() noexcept {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    const Bytes byte = take(1);
    if (byte.empty()) return std::nullopt;
    const auto bits = std::to_integer<std::uint64_t>(byte[0]);
    value |= (bits & 0x7F) << shift;
    if (bits < 0x80) return value;
  }
  good_ = false;  // A varint has at most ten bytes.
  return std::nullopt;
}

std::optional<WireField> WireReader::next() noexcept {
  if (rest_.empty()) return std::nullopt;
  const std::optional<std::uint64_t> tag = varint();
  if (!tag) return std::nullopt;
  WireField field{.number = *tag >> kTypeBits, .bytes = {}};
  switch (*tag & 7U) {
    case 0:
      field.value = varint().value_or(0);
      break;
    case 1:
      field.type = WireType::kFixed64;
      field.bytes = take(8);
      break;
    case 2:
      field.type = WireType::kBytes;
      field.bytes = take(varint().value_or(0));
      break;
    case 5:
      field.type = WireType::kFixed32;
      field.bytes = take(4);
      break;
    default:
      good_ = false;  // proto3 has no groups.
  }
  return good_ ? std::optional(field) : std::nullopt;
}

Bytes WireReader::take(std::uint64_t size) noexcept {
  if (size > rest_.size()) {
    good_ = false;
    return {};
  }
  const Bytes taken = rest_.first(size);
  rest_ = rest_.subspan(size);
  return taken;
}

void append_varint(std::string& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<char>(value | 0x80));
  out.push_back(static_cast<char>(value));
}

void append_bytes(std::string& out, std::uint64_t number, std::string_view bytes) {
  append_varint(out, number << kTypeBits | static_cast<std::uint64_t>(WireType::kBytes));
  append_varint(out, bytes.size());
  out += bytes;
}

}  // namespace feedrate
