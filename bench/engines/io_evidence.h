// What a cell's start really read: evidence beside its times. One thread.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "core/metric.h"

namespace feedrate {

/// Counts from its construction on, in this process and the workers that have ended since.
class IoEvidence {
 public:
  IoEvidence();

  /// storage_read_bytes, called_read_bytes and files_opened; what the system does not tell is not
  /// there. Call it when the workers are gone.
  [[nodiscard]] std::vector<Metric> metrics() const;

 private:
  std::optional<std::uint64_t> from_storage_;
  std::optional<std::uint64_t> by_calls_;
  std::uint64_t opened_;
};

}  // namespace feedrate
