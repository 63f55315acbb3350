// SPDX-License-Identifier: Apache-2.0
#include "formats/zip/zip_reader.h"
#include "tests/fuzz/harness.h"
#include "tests/fuzz/targets.h"

namespace feedrate::fuzz {

bool zip(Bytes input) { return reads_as(open_zip_reader, input); }

}  // namespace feedrate::fuzz
