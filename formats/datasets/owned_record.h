// SPDX-License-Identifier: Apache-2.0
// A record that owns its bytes, so that one thread can read it and another write it. A value.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "formats/record.h"

namespace feedrate {

struct OwnedRecord {
  std::vector<std::byte> payload;
  std::int64_t label = kNoLabel;
  std::string key;
  Payload kind = Payload::kEncoded;
  ImageShape shape = {};

  /// Valid as long as this object.
  [[nodiscard]] Record view() const {
    return {.payload = payload, .label = label, .key = key, .kind = kind, .shape = shape};
  }
};

}  // namespace feedrate
