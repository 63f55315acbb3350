// SPDX-License-Identifier: Apache-2.0
// Runs the same work in several threads concurrently and times it. Safe from any thread.
#pragma once
#include <functional>

namespace feedrate {

/// Calls work(0) … work(threads - 1), each in a thread; all threads exist before the first call.
/// Returns the seconds from the first begin to the last end. Rethrows the first error once all have
/// ended.
[[nodiscard]] double run_together(int threads, const std::function<void(int thread)>& work);

}  // namespace feedrate
