// SPDX-License-Identifier: Apache-2.0
// The texts of the answers of what_if.h. Pure functions; any thread.
#pragma once
#include <iosfwd>
#include <span>
#include <string>

#include "analysis/tuner/what_if.h"

namespace feedrate {

/// The most cells that print_forecasts() shows.
inline constexpr std::size_t kShownCells = 20;

/// The contents of the text. All references must outlive it.
struct WhatIfFindings {
  const RunResult& run;
  std::string source;  ///< path of the run
  double cores;        ///< of the recorded machine
  std::span<const Situation> situations;
  std::size_t width = 0;  ///< of the terminal; 0: unlimited
};

/// "a GPU twice as fast and 4 cores instead of 2"; empty for the unchanged world.
[[nodiscard]] std::string world_text(const World& world, double cores);

/// "With a GPU twice as fast this run would gain 4 %, 1,300/s instead of 1,250/s: making batches is
/// the limit; it would take 6 cores, and as many workers, to keep up with the GPU."
[[nodiscard]] std::string sentence(const Answer& answer, const HeldOut& held_out, double cores);

/// "num_workers=2 pin_memory=true": the settings that vary in the situation.
[[nodiscard]] std::string name_of(const Forecast& forecast, const Situation& situation);

/// Prints a table of answers and their sentences per situation.
void print_questions(std::ostream& out, const WhatIfFindings& findings);

/// Prints a table of cells and the sentence of each answer per situation.
void print_forecasts(std::ostream& out, const WhatIfFindings& findings);

}  // namespace feedrate
