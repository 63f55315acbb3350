// SPDX-License-Identifier: Apache-2.0
#include "analysis/effect_pairs.h"

#include <algorithm>
#include <set>

#include "analysis/cell_text.h"
#include "bench/plan/canonicalize.h"
#include "bench/plan/knobs.h"

namespace feedrate {
namespace {

bool has_meaning(const std::string& name, const std::string& text) {
  const Knob* const knob = known_knob(name);
  return !text.empty() || (knob != nullptr && knob->empty_is_a_value);
}

}  // namespace

std::vector<EffectPair>& pairs_with(PairsByValue& pairs, const std::string& value) {
  const auto known = std::find_if(pairs.begin(), pairs.end(),
                                  [&](const auto& entry) { return entry.first == value; });
  return known != pairs.end() ? known->second
                              : pairs.emplace_back(value, std::vector<EffectPair>()).second;
}

EffectPairs::EffectPairs(const std::vector<const CellResult*>& cells) : cells_(cells) {
  if (cells.empty()) return;
  for (const Setting& one : cells_.front()->settings) {
    const bool is_everywhere =
        std::all_of(cells_.begin(), cells_.end(), [&](const CellResult* cell) {
          return has_meaning(one.name, setting_text(*cell, one.name));
        });
    (is_everywhere ? everywhere_ : somewhere_).push_back(one.name);
  }
}

std::string EffectPairs::key_of(const Settings& settings, const std::string& but) const {
  std::string key;
  for (const std::string& name : everywhere_) {
    if (name != but) key += text_of(settings, name) + '\n';
  }
  return key;
}

bool EffectPairs::agree(const Settings& a, const Settings& b, const std::string& but) const {
  return std::all_of(somewhere_.begin(), somewhere_.end(), [&](const std::string& name) {
    if (name == but) return true;
    const std::string left = text_of(a, name), right = text_of(b, name);
    return left == right || !has_meaning(name, left) || !has_meaning(name, right);
  });
}

EffectPairs::Buckets EffectPairs::bucket_by_all_but(const std::string& name) const {
  Buckets buckets;
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    buckets[key_of(cells_[i]->settings, name)].push_back(i);
  }
  return buckets;
}

std::vector<std::size_t> EffectPairs::counterparts(const Buckets& buckets, const CellResult& cell,
                                                   const std::string& name,
                                                   const SettingValue& value) const {
  Settings settings = cell.settings;
  for (Setting& one : settings) {
    if (one.name == name) one.value = value;
  }
  canonicalize(settings);
  std::vector<std::size_t> found;
  const auto bucket = buckets.find(key_of(settings, name));
  if (bucket == buckets.end()) return found;
  for (const std::size_t i : bucket->second) {
    const Settings& other = cells_[i]->settings;
    if (text_of(other, name) == to_string(value) && agree(settings, other, name)) {
      found.push_back(i);
    }
  }
  return found;
}

// Search from both cells: a setting without a meaning in one follows only from the other.
PairsByValue EffectPairs::of(const std::string& name, const std::string& reference) const {
  std::map<std::string, SettingValue> values;
  PairsByValue pairs;
  for (const CellResult* cell : cells_) {
    const std::string text = setting_text(*cell, name);
    if (text.empty()) continue;
    values.emplace(text, *find_setting(cell->settings, name));
    if (text != reference) pairs_with(pairs, text);
  }
  const Buckets buckets = bucket_by_all_but(name);
  std::map<std::string, std::set<EffectPair>> found;
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    const std::string text = setting_text(*cells_[i], name);
    if (text.empty()) continue;
    for (const auto& [value, of] : values) {
      if (value == text || (text != reference && value != reference)) continue;
      for (const std::size_t other : counterparts(buckets, *cells_[i], name, of)) {
        if (text == reference) {
          found[value].insert({other, i});
        } else {
          found[text].insert({i, other});
        }
      }
    }
  }
  for (auto& [value, members] : pairs) members.assign(found[value].begin(), found[value].end());
  std::erase_if(pairs, [](const auto& entry) { return entry.second.empty(); });
  return pairs;
}

}  // namespace feedrate
