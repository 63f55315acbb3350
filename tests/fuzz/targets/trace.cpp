// A trace of the PyTorch profiler, plain or gzipped, and all that is said of it.
#include "profile/summary.h"
#include "profile/trace_reader.h"
#include "tests/fuzz/harness.h"
#include "tests/fuzz/targets.h"

namespace feedrate::fuzz {

bool trace(Bytes input) {
  const MemoryFile file(input);
  TraceFile found;
  if (!accepts([&] { found = read_trace(file.path()); })) return false;
  for (const Activity& activity : found.timeline.activities) {
    if (activity.span.begin < Nanos(0)) finding("an activity before the first");
    if (activity.span.end < activity.span.begin) finding("an activity that ends before it begins");
  }
  accepts([&] {
    const ProfileSummary summary = summarize(found.timeline);
    for (const Advice& advice : summary.advice) touch(advice.text);
  });
  return true;
}

}  // namespace feedrate::fuzz
