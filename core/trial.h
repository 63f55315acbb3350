// SPDX-License-Identifier: Apache-2.0
// Runs a library's code in a child process, because it may crash or loop on some files. Any thread.
#pragma once
#include <chrono>
#include <functional>
#include <memory>
#include <string>

namespace feedrate {

struct TrialOptions {
  std::string of = "the library";  ///< for messages: "the HDF5 library"
  std::chrono::seconds cpu{60};
  std::chrono::seconds wall{600};  ///< storage may be slow
  /// Its result is held during the fork, to keep other threads out of the library.
  std::function<std::shared_ptr<void>()> at_rest = {};
};

/// Runs `attempt` in a forked process. Returns empty if it ended, also by an exception; else what
/// happened: "crashes the HDF5 library (Segmentation fault)". Throws SystemError if the process
/// cannot start, Cancelled if it was stopped.
[[nodiscard]] std::string why_not_survived(const std::function<void()>& attempt,
                                           const TrialOptions& options);

/// Runs `question` in a forked process. Returns its result (at most 4 KiB), the message of its
/// exception, or what happened to the process. Throws as why_not_survived() does.
[[nodiscard]] std::string answer_in_a_trial(const std::function<std::string()>& question,
                                            const TrialOptions& options);

}  // namespace feedrate
