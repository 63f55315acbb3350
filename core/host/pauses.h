// SPDX-License-Identifier: Apache-2.0
// Detects pauses of this process: it was stopped and continued (Ctrl-Z, SIGSTOP, a batch system
// that suspends the job), or the whole machine was suspended.
#pragma once
#include "core/units.h"

namespace feedrate {

/// Blocks SIGCONT in the calling thread and in all threads that it starts, so that the signal stays
/// pending until a PauseWatch asks for it; a blocked SIGCONT still continues the process. Call it
/// in main() before any thread is started.
void hold_continue_signals();

/// Only one may exist at a time. Any thread.
class PauseWatch {
 public:
  PauseWatch();
  /// Whether there was a pause since the construction or since the last call.
  [[nodiscard]] bool was_paused();

 private:
  Nanos slept_;  // Time in suspend since the machine started.
};

}  // namespace feedrate
