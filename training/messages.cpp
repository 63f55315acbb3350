// SPDX-License-Identifier: Apache-2.0
#include "training/messages.h"

#include <functional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/json_node.h"

namespace feedrate {
namespace {

using Json = nlohmann::ordered_json;

// Texts are kept and printed, so their length is limited.
constexpr std::size_t kLongestWithoutRows = std::size_t{64} << 10;

[[noreturn]] void refuse(const std::string& problem) {
  throw Error("the script sent an invalid message: " + problem);
}

std::size_t count(const JsonNode& node) { return static_cast<std::size_t>(node.integer(0)); }

// The number of candidates grows with it: an absurd number would take forever.
std::size_t setting(const JsonNode& node) { return node.whole(1 << 14); }

std::optional<std::size_t> optional_count(const JsonNode& node) {
  return node.is_null() ? std::nullopt : std::optional(count(node));
}

// Launchers' environment variables may have any value, even without a launcher.
std::size_t rank_or(const JsonNode& node, std::size_t otherwise) {
  constexpr std::uint64_t kMost = 1 << 24;
  const Json& value = node.json();
  const bool is_rank = value.is_number_unsigned() && value.get<std::uint64_t>() <= kMost;
  return is_rank ? value.get<std::size_t>() : otherwise;
}

// The value as Python prints it; objects arrive as "<class>".
std::string python_text(const Json& value) {
  if (value.is_null()) return "None";
  if (value.is_boolean()) return value.get<bool>() ? "True" : "False";
  if (!value.is_string()) return value.dump();
  const std::string text = value.get<std::string>();
  const bool is_class = text.starts_with('<') && text.ends_with('>') && text.size() > 2;
  return is_class ? text.substr(1, text.size() - 2) : fmt::format("'{}'", text);
}

std::optional<double> optional_share(const JsonNode& node) {
  if (node.is_null()) return std::nullopt;
  if (!(node.number() >= 0.0)) node.fail("must be a share");
  return node.number();
}

ScriptMessage parse_process(const JsonNode& node) {
  ScriptProcess process;
  process.id = static_cast<pid_t>(node.at("process").integer(1));
  process.rank = rank_or(node.at("rank"), 0);
  process.world_size = rank_or(node.at("world_size"), 1);
  process.python = node.at("python").text();
  process.torch = node.at("torch").text();
  process.cpus = setting(node.at("cpus"));
  process.resident = count(node.at("resident"));
  if (!node.has("affinity")) return process;
  for (const JsonNode& cpu : node.at("affinity").elements()) process.affinity.push_back(count(cpu));
  return process;
}

std::optional<ScriptCall> parse_call(const JsonNode& node) {
  if (node.is_null()) return std::nullopt;
  ScriptCall call;
  call.text = node.at("text").text();
  call.insert = count(node.at("insert"));
  call.separator = node.at("separator").text();
  call.is_open = node.at("open").flag();
  bool fits = call.insert <= call.text.size();
  for (const auto& [name, span] : node.at("arguments").members()) {
    const std::vector<JsonNode> ends = span.elements();
    if (ends.size() != 2) span.fail("must be two positions");
    call.arguments.push_back({name, count(ends[0]), count(ends[1])});
    fits = fits && call.arguments.back().begin <= call.arguments.back().end &&
           call.arguments.back().end <= call.text.size();
  }
  if (!fits) node.fail("has an argument that is not within its call");
  return call;
}

void parse_settings(const JsonNode& node, ScriptLoader& loader) {
  loader.batch_size = optional_count(node.at("batch_size"));
  loader.num_workers = setting(node.at("num_workers"));
  const JsonNode prefetch_factor = node.at("prefetch_factor");
  if (!prefetch_factor.is_null()) loader.prefetch_factor = setting(prefetch_factor);
  loader.pin_memory = node.at("pin_memory").flag();
  loader.persistent_workers = node.at("persistent_workers").flag();
  const JsonNode in_order = node.find("in_order");  // Not known to torch before 2.6.
  loader.in_order = in_order.is_null() || in_order.flag();
  loader.drop_last = node.at("drop_last").flag();
  loader.multiprocessing_context = node.at("start_method").text_or_empty();
}

ScriptMessage parse_loader(const JsonNode& node) {
  ScriptLoader loader;
  loader.number = count(node.at("loader"));
  loader.group = optional_count(node.find("group")).value_or(loader.number);
  loader.site = node.at("site").text();
  loader.type = node.at("class").text();
  loader.dataset = node.at("dataset").text();
  loader.sampler = node.at("sampler").text();
  loader.rank = rank_or(node.at("rank"), 0);
  loader.ranks = rank_or(node.at("ranks"), 1);
  loader.budget = optional_share(node.at("tune"));
  for (const auto& [name, value] : node.at("given").members()) {
    loader.given.emplace_back(name, python_text(value.json()));
  }
  loader.is_given_known = !node.has("given_known") || node.at("given_known").flag();
  loader.call = parse_call(node.find("call"));
  loader.library = node.find("library").text_or_empty();
  loader.context = node.find("context").text_or_empty();
  loader.length = optional_count(node.at("length"));
  parse_settings(node.at("settings"), loader);
  loader.why_fixed = node.find("fixed").text_or_empty();
  return loader;
}

// Parses rows of `width` numbers.
template <typename Row>
std::vector<Row> parse_rows(const JsonNode& node, std::size_t width,
                            const std::function<Row(const std::int64_t* row)>& parse) {
  const std::vector<std::int64_t> numbers = node.at("rows").integers();
  if (numbers.size() % width != 0) refuse(fmt::format("rows are not of {} numbers", width));
  std::vector<Row> rows;
  rows.reserve(numbers.size() / width);
  for (std::size_t i = 0; i < numbers.size(); i += width) rows.push_back(parse(&numbers[i]));
  return rows;
}

std::int64_t at_least(std::int64_t least, std::int64_t number) {
  if (number < least) refuse(fmt::format("{} is not a count or time", number));
  return number;
}

std::size_t count(std::int64_t number) { return static_cast<std::size_t>(at_least(0, number)); }
Nanos nanos(std::int64_t number) { return Nanos(at_least(0, number)); }

ScriptMark parse_mark(const std::int64_t* row) {
  const std::int64_t samples = at_least(-4, row[4]);  // Other kinds than kBatch are negative.
  ScriptMark mark{count(row[0]), count(row[1])};
  mark.kind = static_cast<ScriptMark::Kind>(samples < 0 ? -samples : 0);
  mark.asked = nanos(row[2]);
  mark.loaded = nanos(row[3]);
  if (mark.loaded < mark.asked) refuse("a call of next() ends before it begins");
  mark.samples = samples > 0 ? static_cast<std::size_t>(samples) : 0;
  if (mark.kind == ScriptMark::Kind::kSwitched) {
    mark.request = count(row[5]);
  } else if (mark.kind == ScriptMark::Kind::kBegin) {
    mark.thread = count(row[5]);
  } else {
    const std::int64_t cpu = at_least(-1, row[5]);
    if (cpu >= 0) mark.cpu = Nanos(cpu);
  }
  return mark;
}

ScriptSpan parse_span(const std::int64_t* row) {
  const std::int64_t idle = at_least(-1, row[3]);
  return {count(row[0]), count(row[1]), count(row[2]),
          idle < 0 ? std::nullopt : std::optional(Nanos(idle)), nanos(row[4])};
}

ScriptFetch parse_fetch(const std::int64_t* row) {
  return {count(row[0]), count(row[1]), nanos(row[2]), nanos(row[3])};
}

ScriptMessage parse_copies(const JsonNode& node) {
  ScriptCopies copies{count(node.at("loader")), {}, count(node.at("batch_bytes"))};
  for (const JsonNode& site : node.at("copies").elements()) {
    copies.sites.push_back({site.at("site").text(), site.at("pinned").flag(),
                            site.at("non_blocking").flag(), count(site.at("calls")),
                            count(site.at("bytes"))});
  }
  return copies;
}

ScriptMessage parse_workers(const JsonNode& node) {
  ScriptWorkers workers{count(node.at("loader")), {}};
  for (const JsonNode& process : node.at("processes").elements()) {
    workers.processes.push_back(static_cast<pid_t>(process.integer(1)));
  }
  return workers;
}

ScriptMessage parse(const JsonNode& node) {
  const std::string event = node.at("event").text();
  const auto loader = [&] { return count(node.at("loader")); };
  if (event == "hello") return parse_process(node);
  if (event == "loader") return parse_loader(node);
  if (event == "marks") return parse_rows<ScriptMark>(node, 6, parse_mark);
  if (event == "spans") return parse_rows<ScriptSpan>(node, 5, parse_span);
  if (event == "fetches") return parse_rows<ScriptFetch>(node, 4, parse_fetch);
  if (event == "copies") return parse_copies(node);
  if (event == "workers") return parse_workers(node);
  if (event == "end") return ScriptEnd{};
  if (event == "note") return ScriptNote{loader(), node.at("text").text()};
  if (event == "switched") {
    return ScriptSwitchFailed{loader(), count(node.at("request")), node.at("problem").text()};
  }
  if (event == "limit") {
    return ScriptLimit{loader(), count(node.at("most_outstanding")), node.at("why").text()};
  }
  if (event == "audit") {
    return ScriptAudit{loader(), count(node.at("identical")),
                       node.at("difference").text_or_empty()};
  }
  node.at("event").fail("is unknown");
}

}  // namespace

std::string switch_message(const ScriptLoader& to, std::size_t request, std::size_t at) {
  const Json settings{{"num_workers", to.num_workers},
                      {"prefetch_factor", to.prefetch_factor.value_or(2)},
                      {"pin_memory", to.pin_memory},
                      {"persistent_workers", to.persistent_workers},
                      {"in_order", to.in_order}};
  const Json message{{"event", "switch"},
                     {"loader", to.number},
                     {"request", request},
                     {"at", at},
                     {"settings", settings}};
  return message.dump() + "\n";
}

std::string stop_message() { return Json{{"event", "stop"}}.dump() + "\n"; }

ScriptMessage parse_script_message(std::string_view line) try {
  const JsonNode node(line, "message");
  if (line.size() > kLongestWithoutRows && !node.has("rows")) refuse("it is too long");
  return parse(node);
} catch (const FormatError& error) {
  refuse(error.what());
}

}  // namespace feedrate
