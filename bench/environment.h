// What a result says about where it was taken, and why it may be doubted.
#pragma once
#include <filesystem>
#include <set>
#include <string>

#include "report/result.h"

namespace feedrate {

/// Of this machine; `dataset` may be empty.
[[nodiscard]] Environment machine_environment(const std::filesystem::path& dataset);

/// Adds the devices' facts, and the doubt where one is simulated.
void add_devices(RunResult& run, const std::set<std::string>& device_names);

/// Adds what the plan itself makes doubtful: few steps, one repeat, more workers than CPUs.
void add_plan_doubts(RunResult& run, std::size_t steps, std::size_t repeats);

/// Adds the dataset's size as a fact, and the doubt where it fits in memory.
void add_dataset(RunResult& run, const std::string& format, std::uint64_t records,
                 std::uint64_t bytes);

}  // namespace feedrate
