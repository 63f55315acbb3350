// SPDX-License-Identifier: Apache-2.0
// The same work in several threads at once, and how long that takes. Any thread.
#pragma once
#include <functional>

namespace feedrate {

/// Calls work(0) … work(threads - 1) in a thread each, all of which are there before the first one
/// begins. Returns the seconds from the first one's
/// begin to the last one's end; rethrows the first error once all have ended.
[[nodiscard]] double run_together(int threads, const std::function<void(int thread)>& work);

}  // namespace feedrate
