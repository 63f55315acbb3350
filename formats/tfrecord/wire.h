// SPDX-License-Identifier: Apache-2.0
// The wire format of Protocol Buffers, as far as a tf.train.Example needs it. Messages may be
// hostile: nothing is believed that does not lie within their bytes. Any thread; views, which own
// nothing.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/units.h"

namespace feedrate {

enum class WireType : std::uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

struct WireField {
  std::uint64_t number = 0;
  WireType type = WireType::kVarint;
  std::uint64_t value = 0;  ///< of kVarint
  Bytes bytes;              ///< of kBytes: a string, a message, packed numbers
};

/// Takes fields, or packed varints, off the front of a message.
class WireReader {
 public:
  explicit WireReader(Bytes message) noexcept : rest_(message) {}

  /// Empty at the end, and from where the message is malformed.
  [[nodiscard]] std::optional<WireField> next() noexcept;
  [[nodiscard]] std::optional<std::uint64_t> varint() noexcept;

  /// Whether the message was well-formed as far as it was read.
  [[nodiscard]] bool good() const noexcept { return good_; }

 private:
  Bytes take(std::uint64_t size) noexcept;

  Bytes rest_;
  bool good_ = true;
};

void append_varint(std::string& out, std::uint64_t value);
/// A field of type kBytes.
void append_bytes(std::string& out, std::uint64_t number, std::string_view bytes);

}  // namespace feedrate
