// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/effects_print.h"

#include <algorithm>
#include <array>
#include <ostream>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace feedrate {
namespace {

constexpr std::size_t kInteractionsShown = 6;

constexpr std::array<std::string_view, 2> kLeastImportant{"pairs", "against"};

TextTable table_of(std::span<const Effect> effects) {
  TextTable table;
  for (const char* const title : {"setting", "value", "against"}) {
    table.add_column(title, Align::kLeft);
  }
  table.add_column("effect", Align::kRight);
  table.add_column("range (95 %)", Align::kRight);
  table.add_column("pairs", Align::kRight);
  const std::string* setting = nullptr;
  for (const Effect& effect : effects) {
    const bool is_same = setting != nullptr && *setting == effect.setting;
    setting = &effect.setting;
    table.add_row({is_same ? "" : effect.setting, effect.value, effect.reference,
                   gain_text(effect.gain.ratio), interval_text(effect.gain),
                   std::to_string(effect.pairs)});
  }
  return table;
}

struct Dependence {
  const Effect* effect;
  const Interaction* interaction;
};

// Keeps one direction per pair of settings.
std::vector<Dependence> dependences(std::span<const Effect> effects) {
  std::vector<Dependence> all;
  for (const Effect& effect : effects) {
    for (const Interaction& one : effect.interactions) all.push_back({&effect, &one});
  }
  std::stable_sort(all.begin(), all.end(), [](const Dependence& a, const Dependence& b) {
    return a.interaction->spread > b.interaction->spread;
  });
  std::set<std::pair<std::string, std::string>> known;
  std::erase_if(all, [&](const Dependence& one) {
    auto pair = std::minmax(one.effect->setting, one.interaction->setting);
    return !known.insert(pair).second;
  });
  return all;
}

std::string dependence_text(const Dependence& one) {
  std::vector<std::string> parts;
  for (const ConditionalEffect& effect : one.interaction->effects) {
    parts.push_back(fmt::format("{} with {}={}", gain_text(effect.gain), one.interaction->setting,
                                effect.value));
  }
  return fmt::format("{}={}: {}", one.effect->setting, one.effect->value, fmt::join(parts, ", "));
}

}  // namespace

std::string interval_text(const RateRatio& gain) {
  if (!has_interval(gain)) return "-";
  return fmt::format("{} to {}", gain_text(gain.low), gain_text(gain.high));
}

std::vector<std::string> dependence_texts(std::span<const Effect> effects) {
  std::vector<std::string> texts;
  for (const Dependence& one : dependences(effects)) texts.push_back(dependence_text(one));
  return texts;
}

void print_effects(std::ostream& out, std::span<const Effect> effects, TableStyle style,
                   std::size_t width) {
  if (effects.empty()) return;
  const bool is_markdown = style == TableStyle::kMarkdown;
  const char* const blank = is_markdown ? "\n" : "";
  out << "\nEffect of each setting on samples/s, over pairs of cells that differ in it alone, "
         "with the range for a second run:\n"
      << blank;
  TextTable table = table_of(effects);
  static_cast<void>(table.fit(width, kLeastImportant));
  table.print(out, style);
  const std::vector<std::string> all = dependence_texts(effects);
  if (all.empty()) return;
  out << "\nEffects that depend on another setting:\n" << blank;
  for (std::size_t i = 0; i < std::min(all.size(), kInteractionsShown); ++i) {
    out << (is_markdown ? "- " : "  ") << all[i] << '\n';
  }
  if (all.size() > kInteractionsShown) {
    out << fmt::format("{}and {} more: feedrate effects RESULTS --json\n",
                       is_markdown ? "- " : "  ", all.size() - kInteractionsShown);
  }
}

}  // namespace feedrate
