// SPDX-License-Identifier: Apache-2.0
#include "formats/formats.h"
#include "tests/fuzz/harness.h"
#include "tests/fuzz/targets.h"

namespace feedrate::fuzz {

bool zip(Bytes input) { return reads_as(open_zip_reader, input); }

}  // namespace feedrate::fuzz
