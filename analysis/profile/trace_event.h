// SPDX-License-Identifier: Apache-2.0
// One event of a Chrome trace as the PyTorch profiler writes it. Plain values and pure functions;
// any thread.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/units.h"

namespace feedrate {

/// Missing fields are 0, false or empty; optional fields distinguish missing from 0.
struct TraceEvent {
  char phase = '\0';     ///< 'X' span, 'i' instant, 'M' metadata such as a lane's name
  std::string category;  ///< in lower case
  std::string name;
  std::optional<Nanos> begin;  ///< from any origin, to the nanosecond
  std::optional<Nanos> duration;
  std::string process_name;  ///< if the process is a text, not a number
  std::int64_t process = 0;
  std::int64_t thread = 0;  ///< the number, also in "stream 7" of old traces

  std::string lane_name;  ///< of phase 'M'
  std::uint64_t correlation = 0;
  std::uint64_t external_id = 0;
  std::uint64_t bytes = 0;
  bool is_collective = false;  ///< an NCCL kernel that names its collective
  std::string direction;       ///< of MTIA's copies: "DEVICE_TO_HOST"
  std::string shapes;  ///< an operator's input shapes, perhaps truncated: "[64,3,8,8],[8,3,3,3],[]"
  std::optional<std::int64_t> device;
  std::optional<std::int64_t> stream;
  double blocks_per_sm = 0;
  double occupancy_percent = 0;
  std::int64_t device_type = 0;  ///< of the instant "[memory]": 0 is the host, others are GPUs
  std::int64_t device_id = 0;
  std::uint64_t total_allocated = 0;
  std::uint64_t total_reserved = 0;
};

/// Empty beyond 145 years.
[[nodiscard]] std::optional<Nanos> from_microseconds(std::int64_t count);

/// Parses microseconds in decimal without a double, which could not hold nanoseconds: times since
/// 1970 have 16 digits before the point. Empty if invalid or beyond 145 years.
[[nodiscard]] std::optional<Nanos> parse_microseconds(std::string_view text);

}  // namespace feedrate
