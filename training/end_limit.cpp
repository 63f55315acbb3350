// SPDX-License-Identifier: Apache-2.0
#include "training/end_limit.h"

#include <string_view>
#include <system_error>
#include <utility>

#include <unistd.h>

#include "core/host/process.h"

namespace feedrate {
namespace {

constexpr Nanos kEndLimitInterval = std::chrono::milliseconds(500);

void report() {
  constexpr std::string_view kEndLimitText =
      "feedrate: the script has ended, and its results take too long; they are incomplete\n";
  static_cast<void>(::write(STDERR_FILENO, kEndLimitText.data(), kEndLimitText.size()));
}

}  // namespace

EndLimit::EndLimit(pid_t child, Nanos patience, std::filesystem::path folder) {
  try {
    thread_ = std::thread(
        [this, child, patience, folder = std::move(folder)] { watch(child, patience, folder); });
  } catch (const std::system_error&) {  // ulimit -u: the script runs on.
  }
}

EndLimit::~EndLimit() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

bool EndLimit::is_over_within(Nanos patience) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, patience, [this] { return is_over_; });
}

void EndLimit::watch(pid_t child, Nanos patience, const std::filesystem::path& folder) {
  std::optional<int> status;
  while (!(status = ended_status(child))) {
    if (is_over_within(kEndLimitInterval)) return;
  }
  if (is_over_within(patience)) return;
  report();
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  ::_exit(is_success_ ? 0 : exit_as(*status));
}

}  // namespace feedrate
