// SPDX-License-Identifier: Apache-2.0
// The answers of what_if.h in words. Pure functions; any thread.
#pragma once
#include <iosfwd>
#include <span>
#include <string>

#include "analysis/tuner/what_if.h"

namespace feedrate {

/// Cells that print_forecasts() shows of an answer.
inline constexpr std::size_t kShownCells = 20;

/// What the text is made of; all outlive it.
struct WhatIfFindings {
  const RunResult& run;
  std::string source;  ///< where the run lies
  double cores;        ///< of the machine that it was recorded on
  std::span<const Situation> situations;
  std::size_t width = 0;  ///< of the terminal; 0: any
};

/// "a GPU twice as fast and 4 cores instead of 2"; empty for the world as it was.
[[nodiscard]] std::string world_text(const World& world, double cores);

/// "With a GPU twice as fast this run would gain 4 %, 1,300/s instead of 1,250/s: making batches is
/// the limit; it would take 6 cores, and as many workers, to keep up with the GPU."
[[nodiscard]] std::string sentence(const Answer& answer, const HeldOut& held_out, double cores);

/// "num_workers=2 pin_memory=true", by what varies in the situation.
[[nodiscard]] std::string name_of(const Forecast& forecast, const Situation& situation);

/// A table of the answers for each situation, and a sentence each.
void print_questions(std::ostream& out, const WhatIfFindings& findings);

/// A table of the cells for each situation, of its one answer, and its sentence.
void print_forecasts(std::ostream& out, const WhatIfFindings& findings);

}  // namespace feedrate
