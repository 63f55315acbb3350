// SPDX-License-Identifier: Apache-2.0
// Hints for error messages: the value of a system limit and how to avoid it.
#pragma once
#include <cstddef>
#include <string>

namespace feedrate {

/// "RLIMIT_NOFILE is 64 …: raise it (ulimit -n), or …"
[[nodiscard]] std::string descriptor_limit_hint();
/// The hint about RLIMIT_NPROC.
[[nodiscard]] std::string process_limit_hint();
/// "/dev/shm holds 64.0 MiB, of which 0.1 MiB are free: …"
[[nodiscard]] std::string shared_memory_hint();
/// The hint for `error_number`, in brackets with a leading space; empty if there is none.
[[nodiscard]] std::string hint_for(int error_number);

}  // namespace feedrate
