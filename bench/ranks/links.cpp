// SPDX-License-Identifier: Apache-2.0
#include "bench/ranks/links.h"

#include <cstring>

namespace feedrate {
namespace {

struct FrameHeader {
  FrameKind kind;
  Collective collective;
  std::uint32_t payload_size;
  std::uint64_t about;
};

}  // namespace

std::string encode_frame(const Frame& frame) {
  const FrameHeader header{.kind = frame.kind,
                           .collective = frame.collective,
                           .payload_size = static_cast<std::uint32_t>(frame.payload.size()),
                           .about = frame.about};
  std::string bytes(sizeof header, '\0');
  std::memcpy(bytes.data(), &header, sizeof header);
  return bytes += frame.payload;
}

std::optional<Frame> decode_frame(std::string_view bytes, std::size_t& size) {
  FrameHeader header{};
  if (bytes.size() < sizeof header) return std::nullopt;
  std::memcpy(&header, bytes.data(), sizeof header);
  size = sizeof header + header.payload_size;
  if (bytes.size() < size) return std::nullopt;
  return Frame{.kind = header.kind,
               .collective = header.collective,
               .about = header.about,
               .payload = std::string(bytes.substr(sizeof header, header.payload_size))};
}

}  // namespace feedrate
