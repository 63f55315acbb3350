// SPDX-License-Identifier: Apache-2.0
// What code of others does to the process that it runs in, found out in one that it may take with
// it: a library crashes on some files, and goes round in circles on others. Any thread.
#pragma once
#include <chrono>
#include <functional>
#include <memory>
#include <string>

namespace feedrate {

struct TrialOptions {
  std::string of = "the library";  ///< whose code it is: "the HDF5 library"
  std::chrono::seconds cpu{60};
  std::chrono::seconds wall{600};  ///< storage may be slow
  /// What it returns is held while the process is forked: that no other thread is within the
  /// library then.
  std::function<std::shared_ptr<void>()> at_rest = {};
};

/// Runs `attempt` in a forked process. Empty where it came to its end, by an exception too; else
/// what became of it: "crashes the HDF5 library (Segmentation fault)". Throws SystemError if there
/// is no process to be had, Cancelled if that process was stopped.
[[nodiscard]] std::string why_not_survived(const std::function<void()>& attempt,
                                           const TrialOptions& options);

/// What `question` returns in a forked process, at most 4 KiB of it, or the message of what it
/// throws; where it did not survive, what became of it. Throws as why_not_survived() does.
[[nodiscard]] std::string answer_in_a_trial(const std::function<std::string()>& question,
                                            const TrialOptions& options);

}  // namespace feedrate
