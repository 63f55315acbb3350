// SPDX-License-Identifier: Apache-2.0
// feedrate env: describes the machine, with warnings about measurements on it.
#pragma once
#include <filesystem>

#include "core/host/console.h"

namespace feedrate {

struct EnvOptions {
  std::filesystem::path dataset;  ///< its storage is described; empty: the working directory's
  bool json = false;
};

[[nodiscard]] int run_env(const EnvOptions& options, Console& console);

}  // namespace feedrate
