// SPDX-License-Identifier: Apache-2.0
#include "training/messages.h"

#include <functional>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/error.h"

namespace feedrate {
namespace {

using Json = nlohmann::ordered_json;

[[noreturn]] void refuse(const std::string& problem) {
  throw Error("the script sent an invalid message: " + problem);
}

std::int64_t whole_number(const Json& value, std::int64_t least) {
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  const bool fits = value.is_number_integer() &&
                    (!value.is_number_unsigned() || value.get<std::uint64_t>() <= kMost);
  if (!fits || value.get<std::int64_t>() < least) refuse(value.dump() + " is not a count or time");
  return value.get<std::int64_t>();
}

std::size_t count(const Json& value) { return static_cast<std::size_t>(whole_number(value, 0)); }

std::optional<std::size_t> optional_count(const Json& value) {
  return value.is_null() ? std::nullopt : std::optional(count(value));
}

std::size_t count_or(const Json& value, std::size_t otherwise) {
  return optional_count(value).value_or(otherwise);
}

std::string text_or_empty(const Json& value) {
  return value.is_null() ? std::string() : value.get<std::string>();
}

// As Python writes it; what is no plain value came as "<class>".
std::string python_text(const Json& value) {
  if (value.is_null()) return "None";
  if (value.is_boolean()) return value.get<bool>() ? "True" : "False";
  if (!value.is_string()) return value.dump();
  const std::string text = value.get<std::string>();
  const bool is_class = text.starts_with('<') && text.ends_with('>') && text.size() > 2;
  return is_class ? text.substr(1, text.size() - 2) : fmt::format("'{}'", text);
}

std::optional<double> optional_share(const Json& value) {
  if (value.is_null()) return std::nullopt;
  if (!value.is_number() || !(value.get<double>() >= 0.0)) refuse(value.dump() + " is no share");
  return value.get<double>();
}

ScriptMessage parse_process(const Json& json) {
  ScriptProcess process;
  process.id = static_cast<pid_t>(whole_number(json.at("process"), 1));
  process.rank = count_or(json.at("rank"), 0);
  process.world_size = count_or(json.at("world_size"), 1);
  process.python = json.at("python").get<std::string>();
  process.torch = json.at("torch").get<std::string>();
  process.cpus = count(json.at("cpus"));
  process.resident = count(json.at("resident"));
  for (const Json& cpu : json.value("affinity", Json::array())) {
    process.affinity.push_back(count(cpu));
  }
  return process;
}

std::optional<ScriptCall> parse_call(const Json& json) {
  if (json.is_null()) return std::nullopt;
  ScriptCall call;
  call.text = json.at("text").get<std::string>();
  call.insert = count(json.at("insert"));
  call.separator = json.at("separator").get<std::string>();
  call.is_open = json.at("open").get<bool>();
  bool fits = call.insert <= call.text.size();
  for (const auto& [name, span] : json.at("arguments").items()) {
    call.arguments.push_back({name, count(span.at(0)), count(span.at(1))});
    fits = fits && call.arguments.back().begin <= call.arguments.back().end &&
           call.arguments.back().end <= call.text.size();
  }
  if (!fits) refuse("an argument is not within its call");
  return call;
}

ScriptMessage parse_loader(const Json& json) {
  ScriptLoader loader;
  loader.number = count(json.at("loader"));
  loader.group = count_or(json.value("group", Json()), loader.number);
  loader.site = json.at("site").get<std::string>();
  loader.type = json.at("class").get<std::string>();
  loader.dataset = json.at("dataset").get<std::string>();
  loader.sampler = json.at("sampler").get<std::string>();
  loader.rank = count_or(json.at("rank"), 0);
  loader.ranks = count_or(json.at("ranks"), 1);
  loader.budget = optional_share(json.at("tune"));
  for (const auto& [name, value] : json.at("given").items()) {
    loader.given.emplace_back(name, python_text(value));
  }
  loader.is_given_known = json.value("given_known", true);
  loader.call = parse_call(json.value("call", Json()));
  loader.library = text_or_empty(json.value("library", Json()));
  loader.context = text_or_empty(json.value("context", Json()));
  loader.length = optional_count(json.at("length"));
  const Json& settings = json.at("settings");
  loader.batch_size = optional_count(settings.at("batch_size"));
  loader.num_workers = count(settings.at("num_workers"));
  loader.prefetch_factor = optional_count(settings.at("prefetch_factor"));
  loader.pin_memory = settings.at("pin_memory").get<bool>();
  loader.persistent_workers = settings.at("persistent_workers").get<bool>();
  const Json in_order = settings.value("in_order", Json());  // Not known to torch before 2.6.
  loader.in_order = in_order.is_null() || in_order.get<bool>();
  loader.drop_last = settings.at("drop_last").get<bool>();
  loader.multiprocessing_context = text_or_empty(settings.at("start_method"));
  loader.why_fixed = text_or_empty(json.value("fixed", Json()));
  return loader;
}

// Each row of `width` numbers, the first of them at `row`.
template <typename Row>
std::vector<Row> parse_rows(const Json& json, std::size_t width,
                            const std::function<Row(const Json* row)>& parse) {
  const Json::array_t& numbers = json.at("rows").get_ref<const Json::array_t&>();
  if (numbers.size() % width != 0) refuse(fmt::format("rows are not of {} numbers", width));
  std::vector<Row> rows;
  rows.reserve(numbers.size() / width);
  for (std::size_t i = 0; i < numbers.size(); i += width) rows.push_back(parse(&numbers[i]));
  return rows;
}

Nanos nanos(const Json& value) { return Nanos(whole_number(value, 0)); }

ScriptMark parse_mark(const Json* row) {
  constexpr std::int64_t kBegin = -1;
  constexpr std::int64_t kEnd = -2;
  constexpr std::int64_t kSwitched = -3;
  constexpr std::int64_t kLeft = -4;
  const std::int64_t samples = whole_number(row[4], kLeft);
  ScriptMark mark{count(row[0]), count(row[1])};
  mark.kind = samples == kBegin      ? ScriptMark::Kind::kBegin
              : samples == kEnd      ? ScriptMark::Kind::kEnd
              : samples == kSwitched ? ScriptMark::Kind::kSwitched
              : samples == kLeft     ? ScriptMark::Kind::kLeft
                                     : ScriptMark::Kind::kBatch;
  mark.asked = nanos(row[2]);
  mark.loaded = nanos(row[3]);
  if (mark.loaded < mark.asked) refuse("a call of next() ends before it begins");
  mark.samples = samples > 0 ? static_cast<std::size_t>(samples) : 0;
  if (mark.kind == ScriptMark::Kind::kSwitched) {
    mark.request = count(row[5]);
  } else if (mark.kind == ScriptMark::Kind::kBegin) {
    mark.thread = count(row[5]);
  } else {
    const std::int64_t cpu = whole_number(row[5], -1);
    if (cpu >= 0) mark.cpu = Nanos(cpu);
  }
  return mark;
}

ScriptSpan parse_span(const Json* row) {
  const std::int64_t idle = whole_number(row[3], -1);
  return {count(row[0]), count(row[1]), count(row[2]),
          idle < 0 ? std::nullopt : std::optional(Nanos(idle)), nanos(row[4])};
}

ScriptFetch parse_fetch(const Json* row) {
  return {count(row[0]), count(row[1]), nanos(row[2]), nanos(row[3])};
}

ScriptMessage parse_copies(const Json& json) {
  ScriptCopies copies{count(json.at("loader")), {}, count(json.at("batch_bytes"))};
  for (const Json& site : json.at("copies")) {
    copies.sites.push_back({site.at("site").get<std::string>(), site.at("pinned").get<bool>(),
                            site.at("non_blocking").get<bool>(), count(site.at("calls")),
                            count(site.at("bytes"))});
  }
  return copies;
}

ScriptMessage parse_switched(const Json& json) {
  return ScriptSwitchFailed{count(json.at("loader")), count(json.at("request")),
                            json.at("problem").get<std::string>()};
}

ScriptMessage parse_limit(const Json& json) {
  return ScriptLimit{count(json.at("loader")), count(json.at("most_outstanding")),
                     json.at("why").get<std::string>()};
}

ScriptMessage parse_audit(const Json& json) {
  return ScriptAudit{count(json.at("loader")), count(json.at("identical")),
                     text_or_empty(json.at("difference"))};
}

ScriptMessage parse_workers(const Json& json) {
  ScriptWorkers workers{count(json.at("loader")), {}};
  for (const Json& process : json.at("processes")) {
    workers.processes.push_back(static_cast<pid_t>(whole_number(process, 1)));
  }
  return workers;
}

ScriptMessage parse_note(const Json& json) {
  return ScriptNote{count(json.at("loader")), json.at("text").get<std::string>()};
}

ScriptMessage parse(const Json& json) {
  const std::string event = json.at("event").get<std::string>();
  if (event == "hello") return parse_process(json);
  if (event == "loader") return parse_loader(json);
  if (event == "marks") return parse_rows<ScriptMark>(json, 6, parse_mark);
  if (event == "spans") return parse_rows<ScriptSpan>(json, 5, parse_span);
  if (event == "fetches") return parse_rows<ScriptFetch>(json, 4, parse_fetch);
  if (event == "copies") return parse_copies(json);
  if (event == "switched") return parse_switched(json);
  if (event == "limit") return parse_limit(json);
  if (event == "audit") return parse_audit(json);
  if (event == "note") return parse_note(json);
  if (event == "workers") return parse_workers(json);
  if (event == "end") return ScriptEnd{};
  refuse("unknown event " + event);
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

ScriptMessage parse_script_message(std::string_view line) {
  try {
    return parse(Json::parse(line));
  } catch (const Json::exception& error) {
    refuse(error.what());
  }
}

}  // namespace feedrate
