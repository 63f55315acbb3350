// SPDX-License-Identifier: Apache-2.0
// Fills an event of a trace from what a parser of JSON meets, one after the other: the members of
// the event itself, and those of its "args". One thread.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "analysis/profile/trace_event.h"

namespace feedrate {

enum class EventField : std::uint8_t;

class TraceEventFields {
 public:
  /// A new event.
  void begin();
  /// An object or a list within it.
  void open();
  void close();

  void key(std::string_view name);
  void number(std::int64_t value);
  void number(std::uint64_t value);
  /// `text` is what stands in the file.
  void number(double value, std::string_view text);
  void text(std::string_view text);

  /// What was met since begin().
  [[nodiscard]] TraceEvent& event() noexcept { return event_; }

 private:
  void take_time(const std::optional<Nanos>& time);
  void take(std::int64_t whole, std::uint64_t positive, double real);
  void take_number_in_text(std::string_view text);
  void take_shape(std::string_view text);

  TraceEvent event_;
  int depth_ = 0;
  bool in_arguments_ = false;
  bool in_shapes_ = false;
  EventField field_{};
};

}  // namespace feedrate
