// SPDX-License-Identifier: Apache-2.0
#include "formats/npy/npy_header.h"
#include "tests/fuzz/harness.h"
#include "tests/fuzz/targets.h"

namespace feedrate::fuzz {

bool npy(Bytes input) {
  const DataLocation location{.file = "a.npy"};
  accepts([&] {
    if (npy_data_offset(input, location) > input.size()) finding("numbers outside the file");
  });
  return accepts([&] {
    const NpyHeader header = parse_npy_header(input, location);
    if (header.size > input.size()) finding("pixels outside the file");
    if (header.shape.height <= 0 || header.shape.width <= 0) finding("an empty image");
  });
}

}  // namespace feedrate::fuzz
