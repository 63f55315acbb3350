#include "bench/plan/neutral.h"

#include <algorithm>

namespace feedrate {
namespace {

struct Rule {
  const char* knob;    ///< where this knob …
  SettingValue value;  ///< … has this value …
  const char* reason;
  std::vector<Setting> neutral;  ///< … these mean nothing, and stand at these values.
};

const std::string kNone;  // Python's None: shown as an empty field.

const std::vector<Rule>& rules() {
  static const std::vector<Rule> table{
      {"loader",
       std::string("cached"),
       "has no meaning with the cached loader",
       {{"num_workers", std::int64_t{0}},
        {"drop_last", false},
        {"format", kNone},
        {"shuffle", false}}},
      {"num_workers",
       std::int64_t{0},
       "has no meaning without workers (PyTorch refuses it)",
       {{"persistent_workers", false}, {"prefetch_factor", kNone}, {"in_order", true}}},
      {"trainer",
       std::string("discard"),
       "has no meaning with the discard trainer",
       {{"non_blocking", false},
        {"copy_stream", std::string("same")},
        {"step_ms", kNone},
        {"reference_batch", kNone},
        {"host_overhead_us", kNone},
        {"sync_every", kNone}}},
      {"pin_memory",
       false,
       "has no effect on a copy from pageable memory",
       {{"non_blocking", false}}},
  };
  return table;
}

SettingValue& setting(Settings& settings, const std::string& name) {
  return std::find_if(settings.begin(), settings.end(),
                      [&](const Setting& candidate) { return candidate.name == name; })
      ->value;
}

}  // namespace

std::vector<Neutralized> neutralize(Settings& settings) {
  std::vector<Neutralized> changed;
  for (const Rule& rule : rules()) {
    if (setting(settings, rule.knob) != rule.value) continue;
    for (const Setting& neutral : rule.neutral) {
      SettingValue& value = setting(settings, neutral.name);
      if (value == neutral.value) continue;
      value = neutral.value;
      changed.push_back({neutral.name, rule.reason});
    }
  }
  return changed;
}

}  // namespace feedrate
