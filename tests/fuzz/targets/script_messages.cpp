// SPDX-License-Identifier: Apache-2.0
// A message of a training script.
#include "tests/fuzz/harness.h"
#include "tests/fuzz/targets.h"
#include "training/messages.h"
#include "training/results.h"
#include "training/watch.h"

namespace feedrate::fuzz {

bool script_messages(Bytes input) {
  return accepts([&] {
    Watch watch;
    ScriptLoader loader;
    loader.num_workers = 2;
    for (const ScriptMessage& message : {ScriptMessage(ScriptProcess{}), ScriptMessage(loader),
                                         parse_script_message(text_of(input))}) {
      watch.add(0, message);
    }
    for (const LoaderHistory& one : histories(watch)) touch(one.loader);
  });
}

}  // namespace feedrate::fuzz
