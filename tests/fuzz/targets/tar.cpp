// SPDX-License-Identifier: Apache-2.0
#include "formats/formats.h"
#include "tests/fuzz/harness.h"
#include "tests/fuzz/targets.h"

namespace feedrate::fuzz {

bool tar(Bytes input) { return reads_as(open_tar_reader, input); }

}  // namespace feedrate::fuzz
