// SPDX-License-Identifier: Apache-2.0
// The run.journal that a killed sweep leaves.
#include "analysis/report/run_journal.h"

#include <utility>

#include "core/result.h"
#include "tests/fuzz/harness.h"
#include "tests/fuzz/results.h"
#include "tests/fuzz/targets.h"

namespace feedrate::fuzz {

bool run_journal(Bytes input) {
  const MemoryFile file(input);
  RunResult run;
  run.cells.resize(3);
  for (std::size_t i = 0; i < run.cells.size(); ++i) run.cells[i].index = i;
  const bool is_taken = accepts([&] { JournalSnapshot(file.path()).add_to(run); });
  use_results(std::move(run));
  return is_taken;
}

}  // namespace feedrate::fuzz
