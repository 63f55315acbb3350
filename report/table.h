// The table a person reads: the question, what is constant, one row a measured cell with the
// fastest first, then what failed, what was skipped, what was not run, and every doubt. One thread.
#pragma once
#include <iosfwd>

#include "report/result.h"
#include "report/text_table.h"

namespace feedrate {

void print_table(std::ostream& out, const RunResult& run, TableStyle style);

}  // namespace feedrate
