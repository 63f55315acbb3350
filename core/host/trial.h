// SPDX-License-Identifier: Apache-2.0
// Calls a library in a child process first, because it crashes on some files and never returns for
// others. Any thread.
#pragma once
#include <chrono>
#include <functional>
#include <memory>
#include <string>

namespace feedrate {

struct TrialOptions {
  std::string of = "the library";  ///< whose code is tried: "the HDF5 library"
  std::chrono::seconds cpu{60};
  std::chrono::seconds wall{600};  ///< storage may be slow
  /// Its result is kept during the fork: a lock that keeps other threads out of the library.
  std::function<std::shared_ptr<void>()> hold_during_fork = {};
};

/// Runs `attempt` in a child process. Returns an empty text if it returned or threw, else what
/// happened: "crashes the HDF5 library (SIGSEGV)". Throws SystemError if no process can be made,
/// Cancelled if a signal stopped the child.
[[nodiscard]] std::string why_not_survived(const std::function<void()>& attempt,
                                           const TrialOptions& options);

/// Returns what `question` returns in a child process, at most 4 KiB of it, or the message of what
/// it throws; if it did not survive, why. Throws as why_not_survived() does.
[[nodiscard]] std::string answer_in_a_trial(const std::function<std::string()>& question,
                                            const TrialOptions& options);

}  // namespace feedrate
