// SPDX-License-Identifier: Apache-2.0
// Ends this process with the script's exit status some time after the script's end, since users
// wait for the script, not for feedrate's results. Has a thread of its own.
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
  /// `child`: the script, which the caller reaps after the destructor. `folder` is removed before
  /// the end. There is no limit if no thread can be started.
  EndLimit(pid_t child, Nanos patience, std::filesystem::path folder);
  EndLimit(const EndLimit&) = delete;
  EndLimit& operator=(const EndLimit&) = delete;
  ~EndLimit();

  /// Sets the exit status to 0, because feedrate has ended the script.
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
