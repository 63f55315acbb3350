// SPDX-License-Identifier: Apache-2.0
#include "formats/tfrecord/frame.h"

#include <cstring>
#include <span>

#include "core/crc32c.h"
#include "formats/load.h"

namespace feedrate {
namespace {

template <typename T>
void append(std::string& out, T value) {
  char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  out.append(bytes, sizeof(T));
}

Bytes bytes_of(std::string_view text) noexcept { return std::as_bytes(std::span(text)); }

}  // namespace

std::optional<std::uint64_t> frame_length(Bytes header) noexcept {
  if (header.size() < kFrameHeader) return std::nullopt;
  const Bytes length = header.first(sizeof(std::uint64_t));
  if (load<std::uint32_t>(header.subspan(length.size())) != masked_crc32c(length)) {
    return std::nullopt;
  }
  return load<std::uint64_t>(length);
}

bool footer_matches(Bytes record, Bytes footer) noexcept {
  return load<std::uint32_t>(footer) == masked_crc32c(record);
}

std::string format_frame(std::string_view record) {
  std::string frame;
  frame.reserve(kFrameHeader + record.size() + kFrameFooter);
  append(frame, std::uint64_t{record.size()});
  append(frame, masked_crc32c(bytes_of(frame)));
  frame += record;
  append(frame, masked_crc32c(bytes_of(record)));
  return frame;
}

}  // namespace feedrate
