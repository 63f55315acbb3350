// SPDX-License-Identifier: Apache-2.0
#include "formats/npz/npz_archive.h"
#include "tests/fuzz/harness.h"
#include "tests/fuzz/targets.h"

namespace feedrate::fuzz {

bool npz(Bytes input) {
  return accepts([&] { touch(npz_array(input, {.file = "a.npz"})); });
}

}  // namespace feedrate::fuzz
