// SPDX-License-Identifier: Apache-2.0
// Cost profiles for tests, and a private cache for them.
#pragma once
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "tests/support/run_feedrate.h"

namespace feedrate::testing {

/// A settled profile for this machine and these versions.
inline std::string some_profile(std::string_view machine, std::string_view versions) {
  return fmt::format(
      "machine: \"{}\"\nversions: \"{}\"\ndataset: ds\nsettled_within_us: 0.001\n"
      "microseconds: {{inline_sample: 300, worker_sample: 300, dispatch: 100, worker_start: 5000, "
      "first_task: 5000, worker_exit: 1000, worker_stop: 1000, resume: 1000}}\n"
      "by_size:\n"
      "  inline_batch: {{us: 50, ns_per_byte: 0}}\n  worker_batch: {{us: 300, ns_per_byte: 0}}\n"
      "  receive: {{us: 300, ns_per_byte: 0}}\n  pin: {{us: 30, ns_per_byte: 0}}\n",
      machine, versions);
}

inline ChildSetup with_cache(ChildSetup setup, const std::filesystem::path& cache) {
  setup.before_exec = [cache] { return ::setenv("XDG_CACHE_HOME", cache.c_str(), 1) == 0; };
  return setup;
}

}  // namespace feedrate::testing
