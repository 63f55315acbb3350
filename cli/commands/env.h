// SPDX-License-Identifier: Apache-2.0
// feedrate env: the machine, and every reason to doubt numbers taken on it.
#pragma once
#include <filesystem>

#include "core/host/console.h"

namespace feedrate {

struct EnvOptions {
  std::filesystem::path dataset;  ///< whose storage is looked at; empty: the working directory
  bool json = false;
};

[[nodiscard]] int run_env(const EnvOptions& options, Console& console);

}  // namespace feedrate
