// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/results_print.h"

#include <ostream>

#include "analysis/answer.h"
#include "analysis/effects.h"
#include "analysis/report/effects_print.h"
#include "analysis/report/ranks.h"
#include "analysis/report/table.h"

namespace feedrate {

void print_results(std::ostream& out, const RunResult& run, TableStyle style, std::size_t width) {
  print_table(out, run, style, width);
  // A tune or a training has no plan of pairs.
  if (!run.recommended && !run.history) print_effects(out, effects_of(run), style, width);
  print_answer(out, run, style);
  print_ranks(out, run, style);
}

}  // namespace feedrate
