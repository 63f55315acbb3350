// SPDX-License-Identifier: Apache-2.0
#include "bench/engines/torch/messages.h"

#include <array>
#include <limits>
#include <map>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "core/error.h"
#include "core/json_depth.h"

namespace feedrate {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMostShown = 200;
constexpr std::size_t kMostProcesses = 100'000;
// A label of 8 bytes is made for each: half a GiB, and far more than anybody trains on in a step.
constexpr std::size_t kMostSamples = std::size_t{1} << 26;

[[noreturn]] void refuse(std::string_view line, std::string_view problem) {
  throw Error(fmt::format("the Python child sent an invalid message ({}): {}{}", problem,
                          line.substr(0, kMostShown), line.size() > kMostShown ? "…" : ""));
}

// The child had the batch in its memory, so that it is no larger than the machine's.
std::size_t most_bytes() {
  return static_cast<std::size_t>(::sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

// The fields of one message; each access checks.
class Fields {
 public:
  Fields(const Json& json, std::string_view line) : json_(json), line_(line) {}

  std::string text(const char* name) const {
    const Json& value = field(name);
    if (!value.is_string()) refuse(line_, fmt::format("{} is not a string", name));
    return value.get<std::string>();
  }

  bool flag(const char* name) const {
    const Json& value = field(name);
    if (!value.is_boolean()) refuse(line_, fmt::format("{} is not a boolean", name));
    return value.get<bool>();
  }

  std::int64_t number(const char* name) const { return number(field(name), name); }
  Nanos nanos(const char* name) const { return Nanos(number(name)); }
  std::size_t size(const char* name) const { return static_cast<std::size_t>(number(name)); }

  std::optional<Nanos> optional_nanos(const char* name) const {
    if (field(name).is_null()) return std::nullopt;
    return nanos(name);
  }

  std::size_t size(const char* name, std::size_t most) const {
    const std::size_t value = size(name);
    if (value > most) refuse(line_, fmt::format("{} is more than {}", name, most));
    return value;
  }

  std::optional<std::uint64_t> optional_size(const char* name) const {
    if (field(name).is_null()) return std::nullopt;
    return size(name);
  }

  std::map<std::string, std::string> texts(const char* name) const {
    std::map<std::string, std::string> all;
    for (const auto& [key, value] : field(name).items()) {
      all.emplace(key, value.is_string() ? value.get<std::string>() : "");
    }
    return all;
  }

  const Json& list(const char* name) const {
    const Json& value = field(name);
    if (!value.is_array()) refuse(line_, fmt::format("{} is not a list", name));
    return value;
  }

  template <std::size_t N>
  std::array<std::int64_t, N> row(const Json& value, const char* name) const {
    if (!value.is_array() || value.size() != N) {
      refuse(line_, fmt::format("{} is not a list of {} numbers", name, N));
    }
    std::array<std::int64_t, N> numbers{};
    for (std::size_t i = 0; i < N; ++i) numbers[i] = number(value[i], name);
    return numbers;
  }

  const Json& field(const char* name) const {
    const auto found = json_.find(name);
    if (found == json_.end()) refuse(line_, fmt::format("{} is missing", name));
    return *found;
  }

  // Times and counts: none of them is ever negative.
  std::int64_t number(const Json& value, const char* name) const {
    const bool fits = value.is_number_unsigned()
                          ? value.get<std::uint64_t>() <= std::numeric_limits<std::int64_t>::max()
                          : value.is_number_integer() && value.get<std::int64_t>() >= 0;
    if (!fits) refuse(line_, fmt::format("{} is not a time or a count", name));
    return value.get<std::int64_t>();
  }

 private:
  const Json& json_;
  std::string_view line_;
};

TorchProbed parse_probed(const Fields& fields) {
  return {fields.texts("modules"), fields.texts("missing"), fields.text("start_method")};
}

template <typename Window>
Window parse_window(const Fields& fields, std::string_view line) {
  Window window;
  const Json& processes = fields.list("processes");
  if (processes.size() > kMostProcesses) refuse(line, "too many processes");
  for (const Json& id : processes) {
    window.processes.push_back(static_cast<pid_t>(fields.number(id, "processes")));
  }
  return window;
}

TorchWindowOver parse_window_over(const Fields& fields, std::string_view line) {
  auto over = parse_window<TorchWindowOver>(fields, line);
  over.tokens.padded = fields.size("token_places");
  over.tokens.real = fields.size("tokens", over.tokens.padded);
  over.epochs = fields.size("epochs");
  return over;
}

TorchMarks parse_marks(const Fields& fields) {
  TorchMarks marks;
  for (const Json& row : fields.list("marks")) {
    const auto numbers = fields.row<5>(row, "marks");
    StepMarks step;
    step.asked = Nanos(numbers[0]);
    step.loaded = Nanos(numbers[1]);
    step.copied = step.queued = step.launching = Nanos(numbers[2]);  // The child tells no more.
    step.trained = step.launched = Nanos(numbers[3]);
    step.samples = static_cast<std::size_t>(numbers[4]);
    marks.steps.push_back(step);
  }
  return marks;
}

TorchSpans parse_spans(const Fields& fields) {
  TorchSpans spans;
  for (const Json& step : fields.list("spans")) {
    const auto numbers = fields.row<4>(step, "spans");
    spans.spans.push_back(
        {Nanos(numbers[0]), Nanos(numbers[1]), Nanos(numbers[2]), Nanos(numbers[3])});
  }
  return spans;
}

}  // namespace

TorchMessage parse_torch_message(std::string_view line) {
  if (is_nested_deeper(line)) refuse(line, "nested too deep");
  const Json json = Json::parse(line, nullptr, false);
  if (!json.is_object()) refuse(line, "not a JSON object");
  const Fields fields(json, line);
  const std::string event = fields.text("event");
  if (event == "batch") {
    return TorchBatch{fields.nanos("t0"),
                      fields.nanos("t1"),
                      fields.nanos("let_go"),
                      fields.size("samples", kMostSamples),
                      fields.size("bytes", most_bytes()),
                      fields.flag("pinned")};
  }
  if (event == "hello") {
    return TorchHello{fields.text("python"), fields.text("torch")};
  }
  if (event == "probed") return parse_probed(fields);
  if (event == "serving") return TorchServing{};
  if (event == "forked") return TorchForked{static_cast<pid_t>(fields.number("process"))};
  if (event == "reaped") return TorchReaped{static_cast<int>(fields.number("status"))};
  if (event == "prepared") {
    return TorchPrepared{fields.optional_size("batches_per_epoch"), fields.size("samples_dropped")};
  }
  if (event == "device_step") return TorchDeviceStep{fields.text("name")};
  if (event == "first_batch") return TorchFirstBatch{fields.optional_nanos("took")};
  if (event == "epoch_end") return TorchEpochEnd{fields.nanos("took")};
  if (event == "window") return parse_window<TorchWindow>(fields, line);
  if (event == "window_over") return parse_window_over(fields, line);
  if (event == "marks") return parse_marks(fields);
  if (event == "spans") return parse_spans(fields);
  if (event == "warning") return TorchWarning{fields.text("text")};
  if (event == "error") {
    return TorchFailure{fields.flag("mistake"), fields.text("headline"), fields.text("traceback")};
  }
  if (event == "done") return TorchDone{fields.size("pinned_bytes")};
  refuse(line, "an unknown event");
}

std::string to_string(const TorchFailure& failure) {
  if (failure.traceback.empty()) return failure.headline;
  return fmt::format("{}\n{}", failure.headline, failure.traceback);
}

}  // namespace feedrate
