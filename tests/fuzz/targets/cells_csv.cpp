// SPDX-License-Identifier: Apache-2.0
// A cells.csv from an untrusted source.
#include <utility>

#include "analysis/report/csv.h"
#include "tests/fuzz/harness.h"
#include "tests/fuzz/results.h"
#include "tests/fuzz/targets.h"

namespace feedrate::fuzz {

bool cells_csv(Bytes input) {
  const MemoryFile file(input);
  RunResult run;
  if (!accepts([&] { run = read_cells_csv(file.path()); })) return false;
  use_results(std::move(run));
  return true;
}

}  // namespace feedrate::fuzz
