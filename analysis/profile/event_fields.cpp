// SPDX-License-Identifier: Apache-2.0
#include "analysis/profile/event_fields.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <variant>

namespace feedrate {

using Event = TraceEvent;

/// A key of an event, and where its value goes.
struct EventField {
  enum class Special : std::uint8_t {
    kNone,
    kPhase,
    kCategory,
    kLane,
    kArguments,
    kCollective,
    kShapes
  };
  std::string_view name;
  std::variant<std::monostate, std::int64_t Event::*, std::uint64_t Event::*, double Event::*,
               std::optional<std::int64_t> Event::*, std::optional<Nanos> Event::*,
               std::string Event::*>
      member;
  Special special = Special::kNone;
};

namespace {

using Special = EventField::Special;

constexpr EventField kEventFields[] = {
    {"ph", {}, Special::kPhase},
    {"cat", {}, Special::kCategory},
    {"name", &Event::name},
    {"pid", &Event::process, Special::kLane},
    {"tid", &Event::thread, Special::kLane},
    {"ts", &Event::begin},
    {"dur", &Event::duration},
    {"args", {}, Special::kArguments},
};

constexpr EventField kArgumentFields[] = {
    {"External id", &Event::external_id},
    {"external id", &Event::external_id},
    {"correlation", &Event::correlation},
    {"device", &Event::device},
    {"stream", &Event::stream},
    {"bytes", &Event::bytes},
    {"size", &Event::bytes},  // Of MTIA's copies and ROCm's copy calls.
    {"direction", &Event::direction},
    {"Collective name", {}, Special::kCollective},
    {"Input Dims", {}, Special::kShapes},
    {"Input dims", {}, Special::kShapes},
    {"name", &Event::lane_name},
    {"blocks per SM", &Event::blocks_per_sm},
    {"est. achieved occupancy %", &Event::occupancy_percent},
    {"Device Type", &Event::device_type},
    {"Device Id", &Event::device_id},
    {"Total Allocated", &Event::total_allocated},
    {"Total Reserved", &Event::total_reserved},
};

// Limits the shapes stored per event: an operator may have lists of thousands of tensors.
constexpr std::size_t kLongestShapes = 200;

const EventField* find_event_field(std::span<const EventField> fields, std::string_view name) {
  const auto found = std::find_if(fields.begin(), fields.end(),
                                  [&](const EventField& field) { return field.name == name; });
  return found == fields.end() ? nullptr : &*found;
}

bool is(const EventField* field, Special special) { return field && field->special == special; }

bool is_time(const EventField* field) {
  return field && std::holds_alternative<std::optional<Nanos> Event::*>(field->member);
}

std::string lower_case_of(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

}  // namespace

void TraceEventFields::begin() { *this = {}; }

void TraceEventFields::open() {
  if (++depth_ == 1) in_arguments_ = is(field_, Special::kArguments);
  if (in_shapes_) take_shape("[");
  if (depth_ == 2 && is(field_, Special::kShapes)) in_shapes_ = true;
  field_ = nullptr;
}

void TraceEventFields::close() {
  if (--depth_ == 1) in_shapes_ = false;
  if (in_shapes_ && event_.shapes.size() < kLongestShapes) event_.shapes += ']';
}

void TraceEventFields::take_shape(std::string_view text) {
  if (event_.shapes.size() >= kLongestShapes) return;
  if (!event_.shapes.empty() && event_.shapes.back() != '[') event_.shapes += ',';
  event_.shapes += text;
}

void TraceEventFields::key(std::string_view name) {
  field_ = nullptr;
  if (depth_ == 0) field_ = find_event_field(kEventFields, name);
  if (depth_ == 1 && in_arguments_) field_ = find_event_field(kArgumentFields, name);
}

void TraceEventFields::number(std::int64_t value) {
  if (in_shapes_) return take_shape(std::to_string(value));
  take(value, static_cast<std::uint64_t>(std::max<std::int64_t>(value, 0)),
       static_cast<double>(value), from_microseconds(value));
}

void TraceEventFields::number(std::uint64_t value) {
  if (in_shapes_) return take_shape(std::to_string(value));
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  const auto whole = static_cast<std::int64_t>(std::min(value, kMost));
  take(whole, value, static_cast<double>(value), from_microseconds(whole));
}

void TraceEventFields::number(double value, std::string_view text) {
  const double whole = std::abs(value) < 9e18 ? value : 0.0;
  take(static_cast<std::int64_t>(whole), static_cast<std::uint64_t>(std::max(whole, 0.0)), value,
       is_time(field_) ? parse_microseconds(text) : std::nullopt);
}

void TraceEventFields::take(std::int64_t whole, std::uint64_t positive, double real,
                            std::optional<Nanos> time) {
  if (field_ == nullptr) return;
  const auto set = [&](auto member) {
    using Member = decltype(member);
    if constexpr (std::is_same_v<Member, std::uint64_t Event::*>) event_.*member = positive;
    if constexpr (std::is_same_v<Member, double Event::*>) event_.*member = real;
    if constexpr (std::is_same_v<Member, std::optional<Nanos> Event::*>) event_.*member = time;
    if constexpr (std::is_same_v<Member, std::int64_t Event::*> ||
                  std::is_same_v<Member, std::optional<std::int64_t> Event::*>) {
      event_.*member = whole;
    }
  };
  std::visit(set, field_->member);
}

void TraceEventFields::text(std::string_view text) {
  if (field_ == nullptr) return;
  if (const auto* member = std::get_if<std::string Event::*>(&field_->member)) {
    event_.*(*member) = text;
  } else if (field_->special == Special::kPhase) {
    event_.phase = text.empty() ? '\0' : text.front();
  } else if (field_->special == Special::kCategory) {
    event_.category = lower_case_of(text);
  } else if (field_->special == Special::kCollective) {
    event_.is_collective = !text.empty();
  } else {
    if (field_->name == "pid") event_.process_name = text;
    take_number_in_text(text);
  }
}

// Old traces name a thread "stream 7", and programs that rewrite traces quote numbers.
void TraceEventFields::take_number_in_text(std::string_view text) {
  if (is_time(field_)) return take(0, 0, 0.0, parse_microseconds(text));
  const bool is_lane = field_->special == Special::kLane;
  if (is_lane) text.remove_prefix(std::min(text.find_first_of("0123456789"), text.size()));
  std::int64_t whole = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), whole);
  const bool is_whole = end == text.data() + text.size();
  if (error == std::errc() && (is_whole || is_lane)) number(whole);
}

}  // namespace feedrate
