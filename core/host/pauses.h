// SPDX-License-Identifier: Apache-2.0
// Whether this process has stood still: stopped and continued (Ctrl-Z, SIGSTOP, a batch system that
// suspends the job), or together with the whole machine (suspend). No clock explains such a gap.
#pragma once
#include "core/units.h"

namespace feedrate {

/// Blocks SIGCONT, which continues a process all the same, in the calling thread and in all that it
/// starts: so the signal waits until a PauseWatch asks for it. Call it in main() before any thread
/// is started.
void hold_continue_signals();

/// One at a time, any thread.
class PauseWatch {
 public:
  PauseWatch();
  /// Since it was made, or since the last call.
  [[nodiscard]] bool was_paused();

 private:
  Nanos slept_;  // Of the machine, since it started.
};

}  // namespace feedrate
