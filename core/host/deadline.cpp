// SPDX-License-Identifier: Apache-2.0
#include "core/host/deadline.h"

#include <condition_variable>
#include <mutex>

namespace feedrate {

Deadline::Deadline(Nanos limit, const std::stop_token& outer)
    : forward_(outer, [source = source_]() mutable { source.request_stop(); }),
      timer_([this, limit, source = source_](const std::stop_token& done) mutable {
        std::mutex mutex;
        std::condition_variable_any never;
        std::unique_lock lock(mutex);
        has_started_.count_down();
        never.wait_for(lock, done, limit, [] { return false; });
        if (!done.stop_requested()) source.request_stop();
      }) {
  has_started_.wait();
}

}  // namespace feedrate
