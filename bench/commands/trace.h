// feedrate trace FILE: what a trace of the PyTorch profiler says of its steps and their loader.
#pragma once
#include <filesystem>

#include "bench/console.h"

namespace feedrate {

struct TraceOptions {
  std::filesystem::path file;        ///< .json or .json.gz
  std::filesystem::path json;        ///< --json: the figures for programs; empty: none
  std::filesystem::path config_out;  ///< --config-out: a sweep with these steps; empty: none
};

/// kExitOk, also where parts of the file could not be read; it says so.
[[nodiscard]] int run_trace(const TraceOptions& options, Console& console);

}  // namespace feedrate
