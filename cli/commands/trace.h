// SPDX-License-Identifier: Apache-2.0
// feedrate trace FILE...: what a trace of the PyTorch profiler says of its steps and their loader.
#pragma once
#include <filesystem>
#include <vector>

#include "core/host/console.h"

namespace feedrate {

struct TraceOptions {
  std::vector<std::filesystem::path> files;  ///< .json, .json.gz, or folders of them; a rank each
  std::filesystem::path json;  ///< --json: the figures for programs, of several a list; empty: none
  std::filesystem::path config_out;  ///< --config-out: a sweep with these steps; empty: none
};

/// kExitOk, also where parts of the file could not be read; it says so. Throws
/// ConfigError for --config-out beside several files.
[[nodiscard]] int run_trace(const TraceOptions& options, Console& console);

}  // namespace feedrate
