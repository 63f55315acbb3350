// SPDX-License-Identifier: Apache-2.0
// Ends this process as the script ended, where it has not ended itself a while later: whatever
// feedrate still computes or writes must not hold up those who wait for the script. A thread of its
// own watches.
#pragma once
#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <thread>

#include <sys/types.h>

#include "core/units.h"

namespace feedrate {

class EndLimit {
 public:
  /// `child`: the script; somebody else reaps it, after the destructor. `folder` is removed first.
  /// Without a limit where there can be no further thread.
  EndLimit(pid_t child, Nanos patience, std::filesystem::path folder);
  EndLimit(const EndLimit&) = delete;
  EndLimit& operator=(const EndLimit&) = delete;
  ~EndLimit();

  /// The exit code is 0, whatever the script's is: feedrate has ended it.
  void expect_success() noexcept { is_success_ = true; }

 private:
  void watch(pid_t child, Nanos patience, const std::filesystem::path& folder);
  [[nodiscard]] bool is_over_within(Nanos patience);

  std::atomic<bool> is_success_{false};
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_over_ = false;
  std::thread thread_;
};

}  // namespace feedrate
