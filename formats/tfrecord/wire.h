// SPDX-License-Identifier: Apache-2.0
// The wire format of Protocol Buffers, as much as tf.train.Example needs. Messages are not trusted:
// lengths never reach beyond their bytes. Views only; any thread.
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
  std::uint64_t value = 0;  ///< for kVarint
  Bytes bytes;              ///< for kBytes: a string, a message, packed numbers
};

/// Takes fields, or packed varints, off the front of a message.
class WireReader {
 public:
  explicit WireReader(Bytes message) noexcept : rest_(message) {}

  /// Empty at the end and after malformed bytes; good() tells which.
  [[nodiscard]] std::optional<WireField> next() noexcept;
  [[nodiscard]] std::optional<std::uint64_t> varint() noexcept;

  /// Whether all that was read was well-formed.
  [[nodiscard]] bool good() const noexcept { return good_; }

 private:
  Bytes take(std::uint64_t size) noexcept;

  Bytes rest_;
  bool good_ = true;
};

void append_varint(std::string& out, std::uint64_t value);
/// Appends a field of type kBytes.
void append_bytes(std::string& out, std::uint64_t number, std::string_view bytes);

}  // namespace feedrate
