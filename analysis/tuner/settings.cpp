// SPDX-License-Identifier: Apache-2.0
#include "analysis/tuner/settings.h"

#include <algorithm>
#include <vector>

#include "bench/plan/knobs.h"
#include "core/statistics.h"

namespace feedrate {
namespace {

std::size_t count(const Settings& settings, const char* name, std::int64_t otherwise) {
  const std::int64_t number = count_of(settings, name, otherwise);
  return static_cast<std::size_t>(number < 0 ? otherwise : number);
}

bool flag(const Settings& settings, const char* name, bool otherwise) {
  const SettingValue* const value = find_setting(settings, name);
  const bool* const held = value == nullptr ? nullptr : std::get_if<bool>(value);
  return held == nullptr ? otherwise : *held;
}

}  // namespace

LoopSettings loop_settings(const Settings& settings) {
  LoopSettings loop;
  loop.num_workers = count(settings, "num_workers", 0);
  loop.prefetch_factor = std::max<std::size_t>(1, count(settings, "prefetch_factor", 2));
  loop.pin_memory = flag(settings, "pin_memory", false);
  loop.persistent_workers = flag(settings, "persistent_workers", false);
  loop.in_order = flag(settings, "in_order", true);
  loop.non_blocking = loop.pin_memory && flag(settings, "non_blocking", false);
  loop.side_stream = text_of(settings, "copy_stream") == "side";
  loop.device_prefetch = count(settings, "device_prefetch", 0);
  loop.sync_every = count(settings, "sync_every", 1);
  loop.cached = text_of(settings, "loader") == "cached";
  loop.discard = text_of(settings, "trainer") == "discard";
  return loop;
}

double batch_size_of(const Settings& settings) {
  return static_cast<double>(std::max<std::size_t>(1, count(settings, "batch_size", 1)));
}

double ranks_of(const Settings& settings) {
  return static_cast<double>(std::max<std::size_t>(1, count(settings, "ranks", 1)));
}

double samples_a_step(const CellResult& cell) {
  const double batch_size = batch_size_of(cell.settings);
  const double ranks = ranks_of(cell.settings);
  std::vector<double> samples;
  for (const Repeat& repeat : cell.repeats) {
    const double* const rate = find_metric(repeat.metrics, "samples_per_second");
    const double* const step = find_metric(repeat.metrics, "step_time");
    if (rate == nullptr || step == nullptr) continue;
    samples.push_back(std::min(*rate / ranks * *step, batch_size));
  }
  return samples.empty() ? batch_size : mean(samples);
}

bool same_work(const Settings& a, const Settings& b) {
  const bool any_cached = text_of(a, "loader") == "cached" || text_of(b, "loader") == "cached";
  return std::all_of(a.begin(), a.end(), [&](const Setting& setting) {
    const Knob* const knob = known_knob(setting.name);
    if (knob != nullptr && knob->is_modelled) return true;
    const std::string mine = to_string(setting.value), other = text_of(b, setting.name);
    if (mine == other) return true;
    const bool empty_means_nothing = any_cached || knob == nullptr || !knob->empty_is_a_value;
    return empty_means_nothing && (mine.empty() || other.empty());
  });
}

bool copies_alike(const LoopSettings& a, const LoopSettings& b) {
  return a.pin_memory == b.pin_memory && a.non_blocking == b.non_blocking &&
         a.side_stream == b.side_stream && a.device_prefetch == b.device_prefetch &&
         a.sync_every == b.sync_every;
}

bool is_real(const LoopSettings& settings) { return !settings.cached && !settings.discard; }

}  // namespace feedrate
