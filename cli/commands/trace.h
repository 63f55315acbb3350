// SPDX-License-Identifier: Apache-2.0
// feedrate trace FILE...: analyzes the steps and their loader in a trace of the PyTorch profiler.
#pragma once
#include <filesystem>
#include <vector>

#include "core/host/console.h"

namespace feedrate {

struct TraceOptions {
  std::vector<std::filesystem::path> files;  ///< .json, .json.gz, or folders of them; one per rank
  std::filesystem::path
      json;  ///< --json: output for programs, a list for several files; empty: none
  std::filesystem::path config_out;  ///< --config-out: writes a sweep with these steps; empty: none
};

/// Returns kExitOk even if parts of a file could not be read, which it prints. Throws ConfigError
/// for --config-out with several files.
[[nodiscard]] int run_trace(const TraceOptions& options, Console& console);

}  // namespace feedrate
