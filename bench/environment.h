// SPDX-License-Identifier: Apache-2.0
// What a result says about where it was taken, and why it may be doubted.
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

/// Of this machine; `dataset` may be empty.
[[nodiscard]] Environment machine_environment(const std::filesystem::path& dataset);

/// A line each under "Reasons to doubt WHAT:"; nothing where there are none.
void print_warnings(std::ostream& out, std::string_view what,
                    const std::vector<std::string>& warnings);

/// The devices that the cells to be measured name, each opened once. Throws ConfigError if one is
/// not to be had, before anything is written or measured.
[[nodiscard]] std::map<std::string, DeviceInfo> inspect_devices(const std::vector<Cell>& plan);

/// Adds the devices' facts, and the doubt where one is simulated.
void add_devices(RunResult& run, const std::map<std::string, DeviceInfo>& devices);

/// Warnings, once per sweep, for its largest num_workers and its ranks on a node: more than this
/// machine's CPUs, its control group's quota and the other ranks leave.
[[nodiscard]] std::vector<std::string> worker_warnings(std::size_t most_workers,
                                                       std::size_t ranks = 1);

/// A doubt that more repeats take away.
inline constexpr const char* kOneStartOnly =
    "One repeat only: there is no confidence interval; set measure.repeats to 3 or more.";

/// Adds what the plan itself makes doubtful: few steps, one repeat, more workers than CPUs.
void add_plan_warnings(RunResult& run, std::size_t steps, std::size_t repeats);

/// Adds the dataset's size and number of files as facts, and the doubt where it fits in memory.
void add_dataset(RunResult& run, const std::string& format, std::uint64_t records,
                 std::uint64_t bytes, std::uint64_t files);

}  // namespace feedrate
