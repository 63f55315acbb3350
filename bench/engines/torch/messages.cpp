// SPDX-License-Identifier: Apache-2.0
#include "bench/engines/torch/messages.h"

#include <array>
#include <map>
#include <string>

#include <fmt/format.h>
#include <unistd.h>

#include "core/error.h"
#include "core/json_node.h"

namespace feedrate {
namespace {

constexpr std::size_t kMostShown = 200;
constexpr std::size_t kMostProcesses = 100'000;
// Each sample gets a label of 8 bytes, so this bounds labels to half a GiB.
constexpr std::size_t kMostSamples = std::size_t{1} << 26;

// The child had the batch in memory, so it is no larger than the machine's memory.
std::size_t most_bytes() {
  return static_cast<std::size_t>(::sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

Nanos nanos(const JsonNode& node) { return Nanos(node.integer(0)); }

std::map<std::string, std::string> texts_by_name(const JsonNode& node) {
  std::map<std::string, std::string> all;
  for (const auto& [name, value] : node.members()) {
    all.emplace(name, value.is_text() ? value.text() : "");
  }
  return all;
}

template <std::size_t N>
std::array<std::int64_t, N> row(const JsonNode& node) {
  const std::vector<std::int64_t> numbers = node.integers();
  if (numbers.size() != N) node.fail(fmt::format("must be {} numbers", N));
  std::array<std::int64_t, N> all{};
  for (std::size_t i = 0; i < N; ++i) {
    if (numbers[i] < 0) node.fail("has a negative time or count");
    all[i] = numbers[i];
  }
  return all;
}

template <typename Window>
Window parse_window(const JsonNode& node) {
  Window window;
  const std::vector<JsonNode> processes = node.at("processes").elements();
  if (processes.size() > kMostProcesses) node.at("processes").fail("has too many processes");
  for (const JsonNode& id : processes) {
    window.processes.push_back(static_cast<pid_t>(id.integer(0)));
  }
  return window;
}

TorchWindowOver parse_window_over(const JsonNode& node) {
  auto over = parse_window<TorchWindowOver>(node);
  over.tokens.padded = node.at("token_places").whole();
  over.tokens.real = node.at("tokens").whole(over.tokens.padded);
  over.epochs = node.at("epochs").whole();
  return over;
}

TorchMarks parse_marks(const JsonNode& node) {
  TorchMarks marks;
  for (const JsonNode& one : node.at("marks").elements()) {
    const auto numbers = row<5>(one);
    StepMarks step;
    step.asked = Nanos(numbers[0]);
    step.loaded = Nanos(numbers[1]);
    step.copied = step.queued = step.launching = Nanos(numbers[2]);  // The child reports no more.
    step.trained = step.launched = Nanos(numbers[3]);
    step.samples = static_cast<std::size_t>(numbers[4]);
    marks.steps.push_back(step);
  }
  return marks;
}

TorchSpans parse_spans(const JsonNode& node) {
  TorchSpans spans;
  for (const JsonNode& step : node.at("spans").elements()) {
    const auto numbers = row<4>(step);
    spans.spans.push_back(
        {Nanos(numbers[0]), Nanos(numbers[1]), Nanos(numbers[2]), Nanos(numbers[3])});
  }
  return spans;
}

TorchMessage parse(const JsonNode& node) {
  const std::string event = node.at("event").text();
  if (event == "batch") {
    return TorchBatch{nanos(node.at("t0")),
                      nanos(node.at("t1")),
                      nanos(node.at("let_go")),
                      node.at("samples").whole(kMostSamples),
                      node.at("bytes").whole(most_bytes()),
                      node.at("pinned").flag()};
  }
  if (event == "hello") return TorchHello{node.at("python").text(), node.at("torch").text()};
  if (event == "probed") {
    return TorchProbed{texts_by_name(node.at("modules")), texts_by_name(node.at("missing")),
                       node.at("start_method").text()};
  }
  if (event == "serving") return TorchServing{};
  if (event == "forked") return TorchForked{static_cast<pid_t>(node.at("process").integer(0))};
  if (event == "reaped") return TorchReaped{static_cast<int>(node.at("status").integer(0))};
  if (event == "prepared") {
    const JsonNode batches = node.at("batches_per_epoch");
    return TorchPrepared{batches.is_null() ? std::nullopt : std::optional(batches.whole()),
                         node.at("samples_dropped").whole()};
  }
  if (event == "device_step") return TorchDeviceStep{node.at("name").text()};
  if (event == "first_batch") {
    const JsonNode took = node.at("took");
    return TorchFirstBatch{took.is_null() ? std::nullopt : std::optional(nanos(took))};
  }
  if (event == "epoch_end") return TorchEpochEnd{nanos(node.at("took"))};
  if (event == "window") return parse_window<TorchWindow>(node);
  if (event == "window_over") return parse_window_over(node);
  if (event == "marks") return parse_marks(node);
  if (event == "spans") return parse_spans(node);
  if (event == "warning") return TorchWarning{node.at("text").text()};
  if (event == "error") {
    return TorchFailure{node.at("mistake").flag(), node.at("headline").text(),
                        node.at("traceback").text()};
  }
  if (event == "done") return TorchDone{node.at("pinned_bytes").whole()};
  node.at("event").fail("is unknown");
}

}  // namespace

TorchMessage parse_torch_message(std::string_view line) try {
  return parse(JsonNode(line, "message"));
} catch (const FormatError& error) {
  throw Error(fmt::format("the Python child sent an invalid message ({}): {}{}", error.what(),
                          line.substr(0, kMostShown), line.size() > kMostShown ? "…" : ""));
}

std::string to_string(const TorchFailure& failure) {
  if (failure.traceback.empty()) return failure.headline;
  return fmt::format("{}\n{}", failure.headline, failure.traceback);
}

}  // namespace feedrate
