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

/// What is not there is 0, false or empty; see the fields that tell it apart.
struct TraceEvent {
  char phase = '\0';     ///< 'X' a span, 'i' an instant, 'M' a lane's name, …
  std::string category;  ///< in lower case
  std::string name;
  std::optional<Nanos> begin;  ///< of any origin, to the nanosecond
  std::optional<Nanos> duration;
  std::string process_name;  ///< where a text stands for the number
  std::int64_t process = 0;
  std::int64_t thread = 0;  ///< of "stream 7", as old traces have it, the number

  std::string lane_name;  ///< of the phase 'M'
  std::uint64_t correlation = 0;
  std::uint64_t external_id = 0;
  std::uint64_t bytes = 0;
  bool is_collective = false;  ///< of a kernel of NCCL that says which collective it is
  std::string direction;       ///< of a copy of MTIA: "DEVICE_TO_HOST"
  std::string shapes;  ///< of an operator's inputs: "[64,3,8,8],[8,3,3,3],[]"; may be cut short
  std::optional<std::int64_t> device;
  std::optional<std::int64_t> stream;
  double blocks_per_sm = 0;
  double occupancy_percent = 0;
  std::int64_t device_type = 0;  ///< of the instant "[memory]": 0 is the host, 1 a GPU …
  std::int64_t device_id = 0;
  std::uint64_t total_allocated = 0;
  std::uint64_t total_reserved = 0;
};

/// Empty: further than 145 years.
[[nodiscard]] std::optional<Nanos> from_microseconds(std::int64_t count);

/// Microseconds as decimal text, to nanoseconds without passing through a double: today's times in
/// microseconds have 16 digits before the point. Empty: no number, or further than 145 years.
[[nodiscard]] std::optional<Nanos> parse_microseconds(std::string_view text);

}  // namespace feedrate
