// SPDX-License-Identifier: Apache-2.0
#include "training/loading_evidence.h"

#include <fmt/format.h>

#include "core/format.h"

namespace feedrate {
namespace {

// Share of the time in which batches are made; below, it mostly waits.
constexpr double kMostlyCpu = 0.7;
// Lower rates cannot be the cause of a wait.
constexpr double kLeastReadRate = 100e3;  // Bytes per second.
constexpr double kLeastFaultRate = 5.0;   // Per second.

bool reads_storage(const LoadingEvidence& evidence) {
  return evidence.read_bytes_per_second() >= kLeastReadRate ||
         evidence.major_faults_per_second() >= kLeastFaultRate;
}

// A thread waits for a CPU in proportion to the time that it runs, so the ratio of all its time
// also holds while it makes batches.
bool waits_for_cpu(const LoadingEvidence& evidence, double cpu_share) {
  if (evidence.running <= 0.0) return false;
  const double waiting = cpu_share * evidence.runnable / evidence.running;
  return waiting >= 0.5 * (1.0 - cpu_share);
}

double per_second(std::uint64_t count, double span) {
  return span > 0.0 ? static_cast<double>(count) / span : 0.0;
}

}  // namespace

LoadingEvidence& LoadingEvidence::operator+=(const LoadingEvidence& other) {
  span += other.span;
  running += other.running;
  runnable += other.runnable;
  read_bytes += other.read_bytes;
  major_faults += other.major_faults;
  return *this;
}

double LoadingEvidence::read_bytes_per_second() const { return per_second(read_bytes, span); }
double LoadingEvidence::major_faults_per_second() const { return per_second(major_faults, span); }

LoadingCause cause_of(const LoadingEvidence& evidence, double cpu_share) {
  if (cpu_share >= kMostlyCpu) return LoadingCause::kComputes;
  if (evidence.span <= 0.0) return LoadingCause::kUnknown;
  if (waits_for_cpu(evidence, cpu_share)) return LoadingCause::kWaitsForCpu;
  return reads_storage(evidence) ? LoadingCause::kReadsStorage : LoadingCause::kSleeps;
}

std::string cause_text(LoadingCause cause, const LoadingEvidence& evidence, bool is_one) {
  const char* const s = is_one ? "s" : "";
  switch (cause) {
    case LoadingCause::kComputes:
      return fmt::format("compute{}", s);
    case LoadingCause::kWaitsForCpu:
      return fmt::format("wait{} for a CPU", s);
    case LoadingCause::kReadsStorage:
      return fmt::format("read{} storage ({}/s, {} major faults/s)", s,
                         format_value(evidence.read_bytes_per_second(), Unit::kBytes),
                         format_number(evidence.major_faults_per_second()));
    case LoadingCause::kSleeps:
      return fmt::format("sleep{0} or wait{0} (network, locks, other processes)", s);
    case LoadingCause::kUnknown:
      break;
  }
  return fmt::format("wait{} (for storage, network, locks or a CPU)", s);
}

}  // namespace feedrate
