// What a damaged file makes of the HDF5 library, found out in a process that it may take with it:
// it crashes on some, and goes round in circles on others. Any thread.
#pragma once
#include <chrono>
#include <functional>
#include <string>

namespace feedrate {

struct TrialLimits {
  std::chrono::seconds cpu{60};
  std::chrono::seconds wall{600};  ///< storage may be slow
};

/// Runs `attempt` in a forked process. Empty where it came to its end, by an exception too; else
/// what became of it: "crashes the HDF5 library (SIGSEGV)". Throws SystemError if there is no
/// process to be had, Cancelled if that process was stopped.
[[nodiscard]] std::string why_not_survived(const std::function<void()>& attempt,
                                           const TrialLimits& limits = {});

}  // namespace feedrate
