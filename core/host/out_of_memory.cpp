// SPDX-License-Identifier: Apache-2.0
#include "core/host/out_of_memory.h"

#include <utility>

#include <fmt/format.h>

#include "core/format.h"
#include "core/host/cgroup.h"
#include "core/metric.h"

namespace feedrate {

OutOfMemory::OutOfMemory(std::filesystem::path root)
    : root_(std::move(root)), kills_before_(cgroup_oom_kills(root_)) {}

std::string OutOfMemory::explain(const std::string& reason) const {
  const std::optional<std::uint64_t> kills = cgroup_oom_kills(root_);
  if (!kills || !kills_before_ || *kills <= *kills_before_) return reason;
  const std::optional<std::uint64_t> limit = cgroup_memory_limit(root_);
  return fmt::format(
      "out of memory: the kernel killed {} of this control group{}; use fewer workers, or a "
      "smaller prefetch_factor or batch_size: {}",
      *kills - *kills_before_ == 1 ? "a process"
                                   : fmt::format("{} processes", *kills - *kills_before_),
      limit ? fmt::format(", whose limit is {}",
                          format_value(static_cast<double>(*limit), Unit::kBytes))
            : std::string(),
      reason);
}

}  // namespace feedrate
