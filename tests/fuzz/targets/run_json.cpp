// SPDX-License-Identifier: Apache-2.0
// A run.json from an untrusted source.
#include <sstream>
#include <string>
#include <utility>

#include "analysis/report/json.h"
#include "tests/fuzz/harness.h"
#include "tests/fuzz/results.h"
#include "tests/fuzz/targets.h"

namespace feedrate::fuzz {
namespace {

std::string json_of(const RunResult& run) {
  std::ostringstream out;
  write_run_json(out, run);
  return out.str();
}

}  // namespace

bool run_json(Bytes input) {
  const MemoryFile file(input);
  RunResult run;
  if (!accepts([&] { run = read_run_json(file.path()); })) return false;
  const std::string text = json_of(run);
  const MemoryFile written(bytes_of(text));
  RunResult again;
  if (!accepts([&] { again = read_run_json(written.path()); })) {
    finding("a written run is rejected: " + text);
  }
  if (json_of(again) != text) finding("a written run reads differently: " + text);
  use_results(std::move(run));
  return true;
}

}  // namespace feedrate::fuzz
