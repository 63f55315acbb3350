// SPDX-License-Identifier: Apache-2.0
#include "bench/plan/knobs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>

#include <fmt/format.h>

#include "bench/plan/named_device.h"
#include "bench/plan/own_dataset.h"
#include "bench/trainers/step_gemms.h"
#include "core/did_you_mean.h"
#include "core/error.h"
#include "core/parse_number.h"
#include "formats/registry.h"

namespace feedrate {
namespace {

using enum KnobType;

constexpr std::string_view kKnobsHead = R"(# Knobs

For users who write a sweep. A knob has one name everywhere: YAML key, `--axis`, `--only`, CSV column. Each may be one value or a
list. `feedrate help knobs` prints them with their sections.

| knob | in PyTorch | what it does |
|---|---|---|
)";
constexpr std::string_view kKnobsEnd = R"(
Combinations that PyTorch refuses, or that equal another cell, are skipped with a reason.
)";

std::string counterpart_of(const Knob& knob) {
  if (knob.argument.position != 0) return fmt::format("`DataLoader({}=)` ", knob.name);
  return knob.counterpart.empty() ? std::string() : fmt::format("{} ", knob.counterpart);
}

[[noreturn]] void refuse(std::string_view where, const std::string& text,
                         std::string_view expected) {
  throw ConfigError(fmt::format("{}: '{}' is not {}", where, text, expected));
}

template <typename Number>
Number number_in(const std::string& text, std::string_view where, std::string_view expected) {
  const std::optional<Number> value = parse_number<Number>(text);
  if (!value) refuse(where, text, expected);
  return *value;
}

void check_range(const Knob& knob, double value, const std::string& text, std::string_view where) {
  if (std::isfinite(value) && value >= knob.least && value <= knob.most) return;
  throw ConfigError(fmt::format("{}: {} is out of range; must be between {} and {}", where, text,
                                knob.least, knob.most));
}

void check_environment(std::string_view text) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string_view word = text.substr(begin, end - begin);
    begin = end + 1;
    if (word.find('=') == std::string_view::npos || word.starts_with('=')) {
      throw ConfigError(fmt::format("'{}' must be NAME=VALUE, such as OMP_NUM_THREADS=1", word));
    }
  }
}

SettingValue parse_text(const Knob& knob, const std::string& text, std::string_view where) {
  try {
    if (knob.name == "format") return std::string(find_format(text).name);
    // `auto` is resolved at use: the command line may name another device.
    if (knob.name == "device" && text != "auto") return resolve_named_device(text);
    if (knob.name == "shapes") static_cast<void>(parse_gemms(text));
    if (knob.name == "steps_ms") static_cast<void>(parse_steps(text));
    if (knob.name == "environment") check_environment(text);
    const bool is_reference = knob.name == "loader_factory" || knob.name == "step_factory";
    if (is_reference && text != knob.fallback) {
      if (const std::string problem = why_no_reference(text); !problem.empty())
        throw ConfigError(problem);
    }
  } catch (const ConfigError& error) {
    throw ConfigError(fmt::format("{}: {}", where, error.what()));
  }
  const bool is_free = knob.choices.empty();
  if (!is_free && std::find(knob.choices.begin(), knob.choices.end(), text) == knob.choices.end()) {
    refuse(where, text, fmt::format("one of {}", fmt::join(knob.choices, ", ")));
  }
  return text;
}

}  // namespace

std::string knobs_markdown() {
  std::string page(kKnobsHead);
  for (const Knob& knob : knobs()) {
    page += fmt::format("| `{}` | {}| {} |\n", knob.name, counterpart_of(knob),
                        knob.docs.empty() ? knob.help : knob.docs);
  }
  return page += kKnobsEnd;
}

std::vector<Nanos> parse_steps(const std::string& text) {
  constexpr double kLongest = 1e7;
  std::vector<Nanos> steps;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string step = text.substr(begin, end - begin);
    begin = end + 1;
    if (step.empty()) continue;
    const auto milliseconds = number_in<double>(step, "a step", "a number of milliseconds");
    if (!(milliseconds >= 0 && milliseconds <= kLongest)) {
      throw ConfigError(
          fmt::format("a step of {} ms is out of range; must be between 0 and {}", step, kLongest));
    }
    steps.push_back(from_seconds(milliseconds * 1e-3));
  }
  if (steps.empty()) throw ConfigError("has no steps; must be a list such as [25.1, 24.9]");
  return steps;
}

const Knob& knob_of(KnobId id) {
  static const auto by_id = [] {
    std::array<const Knob*, kMostKnobs> known{};
    for (const Knob& knob : knobs()) known.at(static_cast<std::size_t>(knob.id)) = &knob;
    return known;
  }();
  return *by_id[static_cast<std::size_t>(id)];
}

const Knob* known_knob(std::string_view name) {
  static const auto by_name = [] {
    std::unordered_map<std::string_view, const Knob*> known;
    for (const Knob& knob : knobs()) known.emplace(knob.name, &knob);
    return known;
  }();
  const auto found = by_name.find(name);
  return found == by_name.end() ? nullptr : found->second;
}

const Idle* idle_with(const Knob& knob, IdleWith with) {
  const auto found = std::find_if(knob.idle.begin(), knob.idle.end(),
                                  [&](const Idle& idle) { return idle.with == with; });
  return found == knob.idle.end() ? nullptr : &*found;
}

std::vector<const Knob*> by_position(int (*position_of)(const Knob& knob)) {
  std::vector<const Knob*> placed;
  for (const Knob& knob : knobs()) {
    if (position_of(knob) != 0) placed.push_back(&knob);
  }
  std::sort(placed.begin(), placed.end(),
            [&](const Knob* a, const Knob* b) { return position_of(*a) < position_of(*b); });
  return placed;
}

const Knob& find_knob(std::string_view name) {
  if (const Knob* const knob = known_knob(name)) return *knob;
  std::vector<std::string_view> names;
  for (const Knob& knob : knobs()) names.push_back(knob.name);
  throw ConfigError(fmt::format("{}: unknown knob{}", name, did_you_mean_or_list(name, names)));
}

SettingValue parse_knob(const Knob& knob, const std::string& text, std::string_view where) {
  if (knob.takes_null && text == "null") return text;
  switch (knob.type) {
    case kBool:
      if (text != "true" && text != "false") refuse(where, text, "true or false");
      return text == "true";
    case kInteger: {
      const auto value = number_in<std::int64_t>(text, where, "a whole number");
      check_range(knob, static_cast<double>(value), text, where);
      return value;
    }
    case kNumber: {
      const auto value = number_in<double>(text, where, "a number");
      check_range(knob, value, text, where);
      return value;
    }
    case kText:
      break;
  }
  return parse_text(knob, text, where);
}

}  // namespace feedrate
