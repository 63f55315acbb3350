// What the targets of results share: all that `feedrate report` and `compare` make of a run.
#pragma once
#include "report/result.h"

namespace feedrate::fuzz {

/// Judges `run`, compares it with itself and makes the page's data. Swallows Error.
void use_results(RunResult run);

}  // namespace feedrate::fuzz
