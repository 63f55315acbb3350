// SPDX-License-Identifier: Apache-2.0
// Numbers of CPUs, as Linux writes them and as it binds threads to them. Any thread.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace feedrate {

/// Numbers of logical CPUs, as of Linux, ascending.
using CpuList = std::vector<int>;

/// "0-3,8"; the other way throws Error where it is none.
[[nodiscard]] std::string format_cpu_list(const CpuList& cpus);
[[nodiscard]] CpuList parse_cpu_list(std::string_view text);

/// Counts the numbers of such a list, also of NUMA nodes; 0 if it is no list.
[[nodiscard]] int count_list(std::string_view text);
/// Of the calling thread. Throws SystemError.
[[nodiscard]] CpuList allowed_cpu_list();
/// Binds the calling thread, and all that it starts from now on. Throws SystemError.
void bind_to(const CpuList& cpus);

}  // namespace feedrate
