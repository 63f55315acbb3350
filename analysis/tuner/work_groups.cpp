// SPDX-License-Identifier: Apache-2.0
#include "analysis/tuner/work_groups.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>

#include "analysis/tuner/settings.h"

namespace feedrate {
namespace {

using Group = std::vector<std::size_t>;
using Canonicalize = std::function<void(Settings&)>;

void set(Settings& settings, const std::string& name, const SettingValue& value) {
  const auto found = std::find_if(settings.begin(), settings.end(),
                                  [&](const Setting& setting) { return setting.name == name; });
  found == settings.end() ? settings.push_back({name, value})
                          : static_cast<void>(found->value = value);
}

class ProbeList {
 public:
  ProbeList(std::span<const Candidate> candidates, double cores, const Canonicalize& canonicalize)
      : candidates_(candidates), most_sensible_(2.0 * cores), canonicalize_(canonicalize) {}

  void add_mock_trainers(const Group& group) {
    std::set<std::size_t> counts;
    for (const std::size_t i : group) counts.insert(workers(i));
    if (counts.contains(0)) add_mock_trainer(group, 0);
    if (*counts.rbegin() > 0)
      add_mock_trainer(group, std::max<std::size_t>(1, most_workers(group)));
  }

  void add_lone_workers(const Group& group) {
    if (most_workers(group) > 1) add_mock_trainer(group, 1);
  }

  void add_mock_loaders(const Group& group) {
    for (const std::size_t i : group) {
      Settings probe = candidates_[i].settings;
      set(probe, "loader", std::string("cached"));
      canonicalize_(probe);
      const bool is_known = std::any_of(probes_.begin(), probes_.end(), [&](const Settings& other) {
        const LoopSettings a = loop_settings(other), b = loop_settings(probe);
        return a.cached && same_work(other, probe) && copies_alike(a, b);
      });
      if (!is_known) probes_.push_back(std::move(probe));
    }
  }

  // Prefers common settings: many workers, the default prefetch_factor. Both values of pin_memory,
  // since mocks do not show its cost with workers.
  void add_real(const Group& group) {
    for (const bool pin_memory : {true, false}) {
      Group alike = group;
      std::erase_if(alike, [&](std::size_t i) {
        return loop_settings(candidates_[i].settings).pin_memory != pin_memory;
      });
      const auto is_worse = [&](std::size_t a, std::size_t b) {
        return rank(alike, a) < rank(alike, b);
      };
      const auto best = std::max_element(alike.begin(), alike.end(), is_worse);
      if (best != alike.end()) probes_.push_back(candidates_[*best].settings);
    }
  }

  std::vector<Settings> take() { return std::move(probes_); }

 private:
  std::size_t workers(std::size_t candidate) const {
    return loop_settings(candidates_[candidate].settings).num_workers;
  }

  std::size_t most_workers(const Group& group) const {
    std::size_t fewest = 0, most = 0;
    for (const std::size_t i : group) {
      const std::size_t count = workers(i);
      if (count == 0) continue;
      fewest = fewest == 0 ? count : std::min(fewest, count);
      if (static_cast<double>(count) <= most_sensible_) most = std::max(most, count);
    }
    return std::max(fewest, most);
  }

  void add_mock_trainer(const Group& group, std::size_t num_workers) {
    Settings probe = candidates_[group.front()].settings;
    set(probe, "trainer", std::string("discard"));
    set(probe, "num_workers", static_cast<std::int64_t>(num_workers));
    if (num_workers > 0) set(probe, "prefetch_factor", std::int64_t{2});
    set(probe, "pin_memory", false);
    canonicalize_(probe);
    probes_.push_back(std::move(probe));
  }

  std::pair<bool, double> rank(const Group& group, std::size_t candidate) const {
    const LoopSettings loop = loop_settings(candidates_[candidate].settings);
    const auto factor = static_cast<double>(loop.prefetch_factor);
    return {loop.num_workers == most_workers(group), -std::abs(factor - 2.0)};
  }

  std::span<const Candidate> candidates_;
  double most_sensible_;
  const Canonicalize& canonicalize_;
  std::vector<Settings> probes_;
};

std::vector<Group> group_by_work(const std::vector<const Settings*>& all) {
  std::vector<Group> groups;
  for (const bool with_workers : {true, false}) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      if ((loop_settings(*all[i]).num_workers > 0) != with_workers) continue;
      const auto group = std::find_if(groups.begin(), groups.end(), [&](const Group& one) {
        return same_work(*all[one.front()], *all[i]);
      });
      group == groups.end() ? groups.push_back({i}) : group->push_back(i);
    }
  }
  return groups;
}

}  // namespace

std::vector<Group> work_groups(std::span<const Candidate> candidates) {
  std::vector<const Settings*> all;
  for (const Candidate& candidate : candidates) all.push_back(&candidate.settings);
  return group_by_work(all);
}

std::vector<std::vector<const CellResult*>> work_groups(std::span<const CellResult* const> cells) {
  std::vector<const Settings*> all;
  for (const CellResult* cell : cells) all.push_back(&cell->settings);
  std::vector<std::vector<const CellResult*>> groups;
  for (const Group& group : group_by_work(all)) {
    std::vector<const CellResult*>& members = groups.emplace_back();
    for (const std::size_t i : group) members.push_back(cells[i]);
  }
  return groups;
}

std::vector<Settings> probes_for(std::span<const Candidate> candidates, double cores,
                                 const Canonicalize& canonicalize) {
  ProbeList probes(candidates, cores, canonicalize);
  const std::vector<Group> groups = work_groups(candidates);
  for (const Group& group : groups) probes.add_mock_loaders(group);
  for (const Group& group : groups) probes.add_mock_trainers(group);
  for (const Group& group : groups) probes.add_real(group);
  // Last: they take the longest with slow loading.
  for (const Group& group : groups) probes.add_lone_workers(group);
  return probes.take();
}

}  // namespace feedrate
