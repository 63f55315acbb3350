// SPDX-License-Identifier: Apache-2.0
// The golden images of tests/golden/decode, and the results of Pillow and torchvision for them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/units.h"
#include "loaders/decode/image.h"

namespace feedrate::golden {

struct Expected {
  std::string file;
  std::string operation;
  std::vector<int> arguments;
  int height;
  int width;
  std::uint64_t checksum;
};

/// The lines of expected.txt for `operation`.
[[nodiscard]] std::vector<Expected> expected(const std::string& operation);

[[nodiscard]] std::vector<std::byte> read(const std::string& file);
[[nodiscard]] std::vector<float> read_floats(const std::string& file);

[[nodiscard]] Image decode(const std::string& file);

[[nodiscard]] std::uint64_t checksum(const Image& image);

/// "photo.png resize 20 30", for messages.
[[nodiscard]] std::string to_string(const Expected& expected);

}  // namespace feedrate::golden
