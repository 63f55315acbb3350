// SPDX-License-Identifier: Apache-2.0
// What a limit of the system is, and how to get round it, in words for messages.
#pragma once
#include <cstddef>
#include <string>

namespace feedrate {

/// "RLIMIT_NOFILE is 64 …: raise it (ulimit -n), or …"
[[nodiscard]] std::string descriptor_limit_hint();
/// The same of RLIMIT_NPROC.
[[nodiscard]] std::string process_limit_hint();
/// "/dev/shm holds 64.0 MiB, of which 0.1 MiB are free: …"
[[nodiscard]] std::string shared_memory_hint();
/// The hint that fits to `error_number`, with brackets and a leading space; empty if there is none.
[[nodiscard]] std::string hint_for(int error_number);

}  // namespace feedrate
