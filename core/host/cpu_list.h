// SPDX-License-Identifier: Apache-2.0
// Lists of CPUs: text form and thread affinity. Any thread.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace feedrate {

/// Linux's numbers of logical CPUs, ascending.
using CpuList = std::vector<int>;

/// Returns a text like "0-3,8".
[[nodiscard]] std::string format_cpu_list(const CpuList& cpus);
/// Throws Error if `text` is not such a list.
[[nodiscard]] CpuList parse_cpu_list(std::string_view text);

/// Counts the numbers of a list like "0-3,8" of CPUs or nodes; 0 if it is not a list.
[[nodiscard]] int count_list(std::string_view text);
/// Returns the affinity of the calling thread. Throws SystemError.
[[nodiscard]] CpuList allowed_cpu_list();
/// Binds the calling thread and all threads that it starts later. Throws SystemError.
void bind_to(const CpuList& cpus);

}  // namespace feedrate
