// SPDX-License-Identifier: Apache-2.0
// Fills a trace event from the callbacks of a JSON parser: the event's members and those of its
// "args". One thread.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "analysis/profile/trace_event.h"

namespace feedrate {

struct EventField;

class TraceEventFields {
 public:
  /// Begins a new event.
  void begin();
  /// Opens or closes an object or a list in the event.
  void open();
  void close();
  void key(std::string_view name);
  void number(std::int64_t value);
  void number(std::uint64_t value);
  /// `text` is the number as written in the file.
  void number(double value, std::string_view text);
  void text(std::string_view text);
  /// The event since begin().
  [[nodiscard]] TraceEvent& event() noexcept { return event_; }

 private:
  void take(std::int64_t whole, std::uint64_t positive, double real, std::optional<Nanos> time);
  void take_number_in_text(std::string_view text);
  void take_shape(std::string_view text);

  TraceEvent event_;
  int depth_ = 0;
  bool in_arguments_ = false;
  bool in_shapes_ = false;
  const EventField* field_ = nullptr;  // Null for a key that is not used.
};

}  // namespace feedrate
