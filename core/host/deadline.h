// SPDX-License-Identifier: Apache-2.0
// A time limit as a stop token.
#pragma once
#include <functional>
#include <latch>
#include <stop_token>
#include <thread>

#include "core/units.h"

namespace feedrate {

/// Triggers its token when the time is over or `outer` is triggered.
class Deadline {
 public:
  Deadline(Nanos limit, const std::stop_token& outer);
  [[nodiscard]] std::stop_token token() const noexcept { return source_.get_token(); }

 private:
  std::stop_source source_;
  std::stop_callback<std::function<void()>> forward_;
  std::latch has_started_{1};  // See fork_mutex(): no fork may happen while a thread starts.
  std::jthread timer_;
};

}  // namespace feedrate
