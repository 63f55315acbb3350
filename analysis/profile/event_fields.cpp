// SPDX-License-Identifier: Apache-2.0
#include "analysis/profile/event_fields.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>
#include <system_error>

namespace feedrate {

enum class EventField : std::uint8_t {
  kNone,
  kPhase,
  kCategory,
  kName,
  kProcess,
  kThread,
  kBegin,
  kDuration,
  kArguments,
  kLaneName,
  kCorrelation,
  kExternalId,
  kBytes,
  kDevice,
  kStream,
  kBlocksPerSm,
  kOccupancy,
  kDeviceType,
  kDeviceId,
  kTotalAllocated,
  kTotalReserved,
  kDirection,
  kCollective,
  kShapes,
};

namespace {

struct EventFieldName {
  std::string_view name;
  EventField field;
};

constexpr std::array kEventFields{
    EventFieldName{"ph", EventField::kPhase},     EventFieldName{"cat", EventField::kCategory},
    EventFieldName{"name", EventField::kName},    EventFieldName{"pid", EventField::kProcess},
    EventFieldName{"tid", EventField::kThread},   EventFieldName{"ts", EventField::kBegin},
    EventFieldName{"dur", EventField::kDuration}, EventFieldName{"args", EventField::kArguments},
};

// Limits the shapes stored per event: an operator may have lists of thousands of tensors.
constexpr std::size_t kLongestShapes = 200;

constexpr std::array kArgumentFields{
    EventFieldName{"External id", EventField::kExternalId},
    EventFieldName{"external id", EventField::kExternalId},
    EventFieldName{"correlation", EventField::kCorrelation},
    EventFieldName{"device", EventField::kDevice},
    EventFieldName{"stream", EventField::kStream},
    EventFieldName{"bytes", EventField::kBytes},
    // MTIA's copies and ROCm's copy calls record their bytes as "size".
    EventFieldName{"size", EventField::kBytes},
    EventFieldName{"direction", EventField::kDirection},
    EventFieldName{"Collective name", EventField::kCollective},
    EventFieldName{"Input Dims", EventField::kShapes},
    EventFieldName{"Input dims", EventField::kShapes},
    EventFieldName{"name", EventField::kLaneName},
    EventFieldName{"blocks per SM", EventField::kBlocksPerSm},
    EventFieldName{"est. achieved occupancy %", EventField::kOccupancy},
    EventFieldName{"Device Type", EventField::kDeviceType},
    EventFieldName{"Device Id", EventField::kDeviceId},
    EventFieldName{"Total Allocated", EventField::kTotalAllocated},
    EventFieldName{"Total Reserved", EventField::kTotalReserved},
};

template <std::size_t kCount>
EventField find_event_field(const std::array<EventFieldName, kCount>& fields,
                            std::string_view name) {
  for (const EventFieldName& each : fields) {
    if (each.name == name) return each.field;
  }
  return EventField::kNone;
}

}  // namespace

void TraceEventFields::begin() {
  event_ = {};
  depth_ = 0;
  in_arguments_ = false;
  in_shapes_ = false;
  field_ = EventField::kNone;
}

void TraceEventFields::open() {
  if (++depth_ == 1) in_arguments_ = field_ == EventField::kArguments;
  if (in_shapes_) take_shape("[");
  if (depth_ == 2 && field_ == EventField::kShapes) in_shapes_ = true;
  field_ = EventField::kNone;
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
  field_ = EventField::kNone;
  if (depth_ == 0) field_ = find_event_field(kEventFields, name);
  if (depth_ == 1 && in_arguments_) field_ = find_event_field(kArgumentFields, name);
}

void TraceEventFields::number(std::int64_t value) {
  if (in_shapes_) return take_shape(std::to_string(value));
  take_time(from_microseconds(value));
  take(value, value > 0 ? static_cast<std::uint64_t>(value) : 0, static_cast<double>(value));
}

void TraceEventFields::number(std::uint64_t value) {
  if (in_shapes_) return take_shape(std::to_string(value));
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  const auto whole = static_cast<std::int64_t>(std::min(value, kMost));
  take_time(from_microseconds(whole));
  take(whole, value, static_cast<double>(value));
}

void TraceEventFields::number(double value, std::string_view text) {
  const bool is_time = field_ == EventField::kBegin || field_ == EventField::kDuration;
  if (is_time) take_time(parse_microseconds(text));
  const double whole = std::abs(value) < 9e18 ? value : 0.0;
  take(static_cast<std::int64_t>(whole), whole > 0 ? static_cast<std::uint64_t>(whole) : 0, value);
}

void TraceEventFields::take_time(const std::optional<Nanos>& time) {
  if (field_ == EventField::kBegin) event_.begin = time;
  if (field_ == EventField::kDuration) event_.duration = time;
}

void TraceEventFields::take(std::int64_t whole, std::uint64_t positive, double real) {
  switch (field_) {
    case EventField::kProcess:
      event_.process = whole;
      break;
    case EventField::kThread:
      event_.thread = whole;
      break;
    case EventField::kCorrelation:
      event_.correlation = positive;
      break;
    case EventField::kExternalId:
      event_.external_id = positive;
      break;
    case EventField::kBytes:
      event_.bytes = positive;
      break;
    case EventField::kDevice:
      event_.device = whole;
      break;
    case EventField::kStream:
      event_.stream = whole;
      break;
    case EventField::kBlocksPerSm:
      event_.blocks_per_sm = real;
      break;
    case EventField::kOccupancy:
      event_.occupancy_percent = real;
      break;
    case EventField::kDeviceType:
      event_.device_type = whole;
      break;
    case EventField::kDeviceId:
      event_.device_id = whole;
      break;
    case EventField::kTotalAllocated:
      event_.total_allocated = positive;
      break;
    case EventField::kTotalReserved:
      event_.total_reserved = positive;
      break;
    default:
      break;
  }
}

void TraceEventFields::text(std::string_view text) {
  switch (field_) {
    case EventField::kPhase:
      event_.phase = text.empty() ? '\0' : text.front();
      return;
    case EventField::kCategory:
      event_.category = text;
      for (char& c : event_.category) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
      }
      return;
    case EventField::kName:
      event_.name = text;
      return;
    case EventField::kLaneName:
      event_.lane_name = text;
      return;
    case EventField::kCollective:
      event_.is_collective = !text.empty();
      return;
    case EventField::kDirection:
      event_.direction = text;
      return;
    case EventField::kNone:
      return;
    case EventField::kProcess:
      event_.process_name = text;
      return take_number_in_text(text);
    default:
      return take_number_in_text(text);
  }
}

// Old traces name a thread "stream 7", and programs that rewrite traces quote numbers.
void TraceEventFields::take_number_in_text(std::string_view text) {
  take_time(parse_microseconds(text));
  const bool is_lane = field_ == EventField::kProcess || field_ == EventField::kThread;
  if (is_lane) text.remove_prefix(std::min(text.find_first_of("0123456789"), text.size()));
  std::int64_t whole = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), whole);
  const bool is_whole = end == text.data() + text.size();
  if (error != std::errc() || (!is_whole && !is_lane)) return;
  take(whole, whole > 0 ? static_cast<std::uint64_t>(whole) : 0, static_cast<double>(whole));
}

}  // namespace feedrate
