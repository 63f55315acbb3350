// SPDX-License-Identifier: Apache-2.0
// A trace of the PyTorch profiler, plain or gzipped, and the reports of `feedrate trace`.
#include <sstream>
#include <string>
#include <utility>

#include "analysis/profile/trace_reader.h"
#include "analysis/profile/trace_report.h"
#include "bench/plan/config.h"
#include "tests/fuzz/harness.h"
#include "tests/fuzz/targets.h"

namespace feedrate::fuzz {
namespace {

void require_order(const Timeline& timeline) {
  for (const Activity& activity : timeline.activities) {
    if (activity.span.begin < Nanos(0)) finding("an activity before the first");
    if (activity.span.end < activity.span.begin) finding("an activity that ends before it begins");
  }
}

void use(TraceFile file) {
  const TraceReport report = make_trace_report("trace.json", std::move(file));
  std::ostringstream out;
  print_trace_report(out, report);
  touch(out.str());
  touch(to_json(report));
  accepts([&] { static_cast<void>(parse_config(to_sweep_yaml(report), "fuzz.yaml")); });
}

}  // namespace

bool trace(Bytes input) {
  const MemoryFile file(input);
  TraceFile found;
  if (!accepts([&] { found = read_trace(file.path()); })) return false;
  require_order(found.timeline);
  use(std::move(found));
  return true;
}

}  // namespace feedrate::fuzz
