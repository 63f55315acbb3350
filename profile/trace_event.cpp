#include "profile/trace_event.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <system_error>
#include <utility>

#include <nlohmann/json.hpp>

#include "core/parse_number.h"
#include "profile/json_repair.h"

namespace feedrate {
namespace {

// The difference of two times is one, too.
constexpr std::int64_t kMostMicroseconds = std::numeric_limits<std::int64_t>::max() / 2000 - 1;

enum class Field : std::uint8_t {
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
};

struct FieldName {
  std::string_view name;
  Field field;
};

constexpr std::array kEventFields{
    FieldName{"ph", Field::kPhase},     FieldName{"cat", Field::kCategory},
    FieldName{"name", Field::kName},    FieldName{"pid", Field::kProcess},
    FieldName{"tid", Field::kThread},   FieldName{"ts", Field::kBegin},
    FieldName{"dur", Field::kDuration}, FieldName{"args", Field::kArguments},
};

constexpr std::array kArgumentFields{
    FieldName{"External id", Field::kExternalId},
    FieldName{"external id", Field::kExternalId},
    FieldName{"correlation", Field::kCorrelation},
    FieldName{"device", Field::kDevice},
    FieldName{"stream", Field::kStream},
    FieldName{"bytes", Field::kBytes},
    FieldName{"name", Field::kLaneName},
    FieldName{"blocks per SM", Field::kBlocksPerSm},
    FieldName{"est. achieved occupancy %", Field::kOccupancy},
    FieldName{"Device Type", Field::kDeviceType},
    FieldName{"Device Id", Field::kDeviceId},
    FieldName{"Total Allocated", Field::kTotalAllocated},
};

template <std::size_t kCount>
Field find_field(const std::array<FieldName, kCount>& fields, std::string_view name) {
  for (const FieldName& each : fields) {
    if (each.name == name) return each.field;
  }
  return Field::kNone;
}

std::optional<Nanos> from_microseconds(std::int64_t count) {
  if (count > kMostMicroseconds || count < -kMostMicroseconds) return std::nullopt;
  return Nanos(count * 1000);
}

// Fills an event from what the parser meets: its own members, and those of "args".
class EventSax final : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit EventSax(TraceEvent& event) : event_(event) {}

  bool start_object(std::size_t /*size*/) override {
    if (++depth_ == 2) in_arguments_ = field_ == Field::kArguments;
    field_ = Field::kNone;
    return true;
  }
  bool end_object() override {
    --depth_;
    return true;
  }
  bool start_array(std::size_t size) override { return start_object(size); }
  bool end_array() override { return end_object(); }
  bool key(string_t& name) override {
    field_ = Field::kNone;
    if (depth_ == 1) field_ = find_field(kEventFields, name);
    if (depth_ == 2 && in_arguments_) field_ = find_field(kArgumentFields, name);
    return true;
  }

  bool null() override { return true; }
  bool boolean(bool /*value*/) override { return true; }
  bool binary(binary_t& /*value*/) override { return true; }
  bool number_integer(number_integer_t value) override {
    take_time(from_microseconds(value));
    return take(value, value > 0 ? static_cast<std::uint64_t>(value) : 0,
                static_cast<double>(value));
  }
  bool number_unsigned(number_unsigned_t value) override {
    constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    const auto whole = static_cast<std::int64_t>(std::min(value, kMost));
    take_time(from_microseconds(whole));
    return take(whole, value, static_cast<double>(value));
  }
  bool number_float(number_float_t value, const string_t& text) override {
    take_time(field_ == Field::kBegin || field_ == Field::kDuration ? parse_microseconds(text)
                                                                    : std::nullopt);
    const double whole = std::abs(value) < 9e18 ? value : 0.0;
    return take(static_cast<std::int64_t>(whole), whole > 0 ? static_cast<std::uint64_t>(whole) : 0,
                value);
  }
  bool string(string_t& text) override;
  bool parse_error(std::size_t /*position*/, const std::string& /*token*/,
                   const nlohmann::detail::exception& /*error*/) override {
    return false;
  }

 private:
  void take_time(const std::optional<Nanos>& time) {
    if (field_ == Field::kBegin) event_.begin = time;
    if (field_ == Field::kDuration) event_.duration = time;
  }
  bool take(std::int64_t whole, std::uint64_t positive, double real);
  bool take_number_in_text(std::string_view text);

  TraceEvent& event_;
  int depth_ = 0;
  bool in_arguments_ = false;
  Field field_ = Field::kNone;
};

bool EventSax::take(std::int64_t whole, std::uint64_t positive, double real) {
  switch (field_) {
    case Field::kProcess:
      event_.process = whole;
      break;
    case Field::kThread:
      event_.thread = whole;
      break;
    case Field::kCorrelation:
      event_.correlation = positive;
      break;
    case Field::kExternalId:
      event_.external_id = positive;
      break;
    case Field::kBytes:
      event_.bytes = positive;
      break;
    case Field::kDevice:
      event_.device = whole;
      break;
    case Field::kStream:
      event_.stream = whole;
      break;
    case Field::kBlocksPerSm:
      event_.blocks_per_sm = real;
      break;
    case Field::kOccupancy:
      event_.occupancy_percent = real;
      break;
    case Field::kDeviceType:
      event_.device_type = whole;
      break;
    case Field::kDeviceId:
      event_.device_id = whole;
      break;
    case Field::kTotalAllocated:
      event_.total_allocated = positive;
      break;
    default:
      break;
  }
  return true;
}

bool EventSax::string(string_t& text) {
  switch (field_) {
    case Field::kPhase:
      event_.phase = text.empty() ? '\0' : text.front();
      return true;
    case Field::kCategory:
      event_.category = text;
      for (char& c : event_.category) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
      }
      return true;
    case Field::kName:
      event_.name = text;
      return true;
    case Field::kLaneName:
      event_.lane_name = text;
      return true;
    case Field::kNone:
      return true;
    case Field::kProcess:
      event_.process_name = text;
      return take_number_in_text(text);
    default:
      return take_number_in_text(text);
  }
}

// Old traces have "stream 7" for a thread, and programs that rewrite traces put numbers into
// quotes.
bool EventSax::take_number_in_text(std::string_view text) {
  take_time(parse_microseconds(text));
  const bool is_lane = field_ == Field::kProcess || field_ == Field::kThread;
  if (is_lane) text.remove_prefix(std::min(text.find_first_of("0123456789"), text.size()));
  std::int64_t whole = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), whole);
  const bool is_whole = end == text.data() + text.size();
  if (error != std::errc() || (!is_whole && !is_lane)) return true;
  return take(whole, whole > 0 ? static_cast<std::uint64_t>(whole) : 0, static_cast<double>(whole));
}

bool parse_strictly(std::string_view text, TraceEvent& event) {
  event = {};
  EventSax sax(event);
  return nlohmann::json::sax_parse(text.begin(), text.end(), &sax);
}

// Takes `token` off the start of `text`, with the blanks before it.
bool take_token(std::string_view& text, std::string_view token) {
  const std::size_t start = std::min(text.find_first_not_of(" \t\r\n"), text.size());
  if (!text.substr(start).starts_with(token)) return false;
  text.remove_prefix(start + token.size());
  return true;
}

bool take_key(std::string_view& text, std::string_view quoted) {
  return take_token(text, quoted) && take_token(text, ":") && take_token(text, "\"");
}

}  // namespace

EventParse parse_trace_event(std::string_view text, TraceEvent& event) {
  if (parse_strictly(text, event)) return EventParse::kRead;
  if (parse_strictly(repaired_json(text), event)) return EventParse::kRepaired;
  return EventParse::kUnreadable;
}

bool is_plainly_unneeded(std::string_view text) {
  constexpr std::array<std::string_view, 5> kCategories{"python_function\"", "overhead\"",
                                                        "cuda_sync\"", "cuda_event\"", "Trace\""};
  if (!take_token(text, "{") || !take_key(text, "\"ph\"") || text.size() < 2) return false;
  const char phase = text.front();
  if (text[1] != '"') return false;
  if (phase != 'X') return phase != 'i' && phase != 'M';
  text.remove_prefix(2);
  if (!take_token(text, ",") || !take_key(text, "\"cat\"")) return false;
  return std::any_of(kCategories.begin(), kCategories.end(),
                     [&](std::string_view category) { return text.starts_with(category); });
}

std::optional<Nanos> parse_microseconds(std::string_view text) {
  const std::string_view all = text;
  const bool is_negative = text.starts_with('-');
  text.remove_prefix(is_negative ? 1 : 0);
  std::int64_t whole = 0;
  const auto [point, error] = std::from_chars(text.data(), text.data() + text.size(), whole);
  if (error != std::errc() || text.starts_with('-') || whole > kMostMicroseconds) {
    return std::nullopt;
  }
  text.remove_prefix(static_cast<std::size_t>(point - text.data()));
  std::int64_t nanos = whole * 1000;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
    for (std::size_t at = 0, unit = 100; at < std::min<std::size_t>(digits, 3); ++at, unit /= 10) {
      nanos += (text[at] - '0') * static_cast<std::int64_t>(unit);
    }
    if (digits > 3 && text[3] >= '5') ++nanos;
    text.remove_prefix(digits);
  }
  if (text.empty()) return Nanos(is_negative ? -nanos : nanos);
  const std::optional<double> value = parse_number<double>(all);
  if (!value || !(std::abs(*value) < static_cast<double>(kMostMicroseconds))) return std::nullopt;
  return Nanos(std::llround(*value * 1000));
}

}  // namespace feedrate
