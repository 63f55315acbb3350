// SPDX-License-Identifier: Apache-2.0
// The activity of the processes that load batches, by the kernel's counters, and the cause of a
// wait that follows from it. Pure; any thread.
#pragma once
#include <cstdint>
#include <string>

namespace feedrate {

/// Sums over the threads that load: the main thread of each worker, or the training's own.
struct LoadingEvidence {
  double span = 0.0;             ///< clock seconds of observation; 0: none
  double running = 0.0;          ///< thread seconds on a CPU
  double runnable = 0.0;         ///< thread seconds of waiting for a CPU
  std::uint64_t read_bytes = 0;  ///< that storage delivered to their processes
  std::uint64_t major_faults = 0;

  LoadingEvidence& operator+=(const LoadingEvidence& other);
  [[nodiscard]] double read_bytes_per_second() const;
  [[nodiscard]] double major_faults_per_second() const;
};

/// The activity that takes most of the time in which a batch is made.
enum class LoadingCause {
  kComputes,
  kWaitsForCpu,   ///< ready to run while other threads have the CPUs
  kReadsStorage,  ///< storage delivers bytes, or pages of mapped files
  kSleeps,        ///< none of these: network, locks, other processes
  kUnknown,       ///< it waits; nothing was observed
};

/// `cpu_share`: the part of the time in which batches are made that is CPU time.
[[nodiscard]] LoadingCause cause_of(const LoadingEvidence& evidence, double cpu_share);

/// The text after "the workers": "read storage (140 MB/s, 95 major faults/s)". `is_one`: after "the
/// training thread".
[[nodiscard]] std::string cause_text(LoadingCause cause, const LoadingEvidence& evidence,
                                     bool is_one);

}  // namespace feedrate
