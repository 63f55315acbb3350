// SPDX-License-Identifier: Apache-2.0
// The environment of a result, and warnings about its figures.
#pragma once
#include <filesystem>
#include <iosfwd>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "bench/plan/plan.h"
#include "core/result.h"
#include "device/device.h"

namespace feedrate {

/// The facts of this machine; `dataset` may be empty.
[[nodiscard]] Environment machine_environment(const std::filesystem::path& dataset);

/// Prints a line each under "Warnings about WHAT:"; nothing if there are none.
void print_warnings(std::ostream& out, std::string_view what,
                    const std::vector<std::string>& warnings);

/// Opens each device of the cells to be measured once. Throws ConfigError if one is unavailable,
/// before anything is written or measured.
[[nodiscard]] std::map<std::string, DeviceInfo> inspect_devices(const std::vector<Cell>& plan);

/// Adds the devices' facts, and a warning for a simulated one.
void add_devices(RunResult& run, const std::map<std::string, DeviceInfo>& devices);

/// Warnings for the largest num_workers and the ranks on a node: more than the machine's CPUs, the
/// control group's quota and the other ranks leave.
[[nodiscard]] std::vector<std::string> worker_warnings(std::size_t most_workers,
                                                       std::size_t ranks = 1);

/// A warning that more repeats remove.
inline constexpr const char* kOneStartOnly =
    "One repeat only: there is no confidence interval; set measure.repeats to 3 or more.";

/// Adds warnings about the plan: few steps, one repeat, more workers than CPUs.
void add_plan_warnings(RunResult& run, std::size_t steps, std::size_t repeats);

/// Adds the dataset's size and number of files as facts, and a warning if it fits in memory.
void add_dataset(RunResult& run, const std::string& format, std::uint64_t records,
                 std::uint64_t bytes, std::uint64_t files);

}  // namespace feedrate
