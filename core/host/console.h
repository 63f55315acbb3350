// SPDX-License-Identifier: Apache-2.0
// The output streams of a command: results go to `out`, everything else to `err`.
#pragma once
#include <ostream>
#include <stop_token>

namespace feedrate {

/// Exit codes, as --help prints them.
inline constexpr int kExitOk = 0;
inline constexpr int kExitCellFailed = 1;  ///< also for data that is damaged or differs
inline constexpr int kExitUsage = 2;       ///< usage or configuration
inline constexpr int kExitRegression = 3;  ///< compare found a regression
/// SIGUSR1 stopped the program; the same command line resumes it. EX_TEMPFAIL of sysexits.h.
inline constexpr int kExitTryAgain = 75;
inline constexpr int kExitInterrupted = 130;

/// Used by the main thread. Interrupt triggers `stop` from any thread.
struct Console {
  std::ostream& out;
  std::ostream& err;
  bool err_is_terminal = false;  ///< a bar may be redrawn
  std::stop_token stop;

  /// A console that writes only to stderr, because stdout is for JSON.
  [[nodiscard]] Console on_err() const { return {err, err, err_is_terminal, stop}; }
};

}  // namespace feedrate
