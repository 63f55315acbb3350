// SPDX-License-Identifier: Apache-2.0
// Waits for a machine without other load. Safe from any thread.
#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/host/cpu_load.h"

namespace feedrate::testing {

/// Waits up to a minute until other programs use less than a tenth of a CPU. Returns why the
/// machine is not quiet, or an empty text.
inline std::string wait_for_quiet_machine() {
  constexpr double kQuiet = 0.1;
  constexpr int kSeconds = 60;
  std::optional<CpuLoad> load;
  for (int i = 0; i < kSeconds; ++i) {
    const CpuLoadMark begin = mark_cpu_load(allowed_cpu_list());
    std::this_thread::sleep_for(std::chrono::seconds(1));
    load = cpu_load_between(begin, mark_cpu_load(allowed_cpu_list()));
    if (!load || load->foreign < kQuiet) return {};
  }
  return fmt::format("needs a quiet machine: after {} s other programs use {:.2f} of {:.0f} CPUs",
                     kSeconds, load->foreign, load->cpus);
}

#define REQUIRE_QUIET_MACHINE() \
  if (const std::string busy = wait_for_quiet_machine(); !busy.empty()) GTEST_SKIP() << busy

}  // namespace feedrate::testing
