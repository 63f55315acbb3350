// SPDX-License-Identifier: Apache-2.0
#include "bench/merge_shards.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/cell_text.h"
#include "analysis/limits.h"
#include "bench/overrides.h"
#include "bench/resume.h"
#include "core/error.h"

namespace feedrate {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kShardFact = "shard ";

struct Part {
  const fs::path& folder;
  const RunResult& run;
  SweepShard shard;
  std::vector<std::string> overrides;  // without the shard
  std::size_t repeats;
};

[[noreturn]] void refuse(const Part& part, const std::string& why) {
  throw ConfigError(fmt::format("{}: {}", part.folder.string(), why));
}

Part part_of(const ShardRun& one) {
  SweepOverrides overrides = overrides_from_texts(one.run.overrides);
  const std::size_t repeats = load_stored_sweep(one.run, overrides).measure.repeats.least;
  if (!overrides.shard) {
    throw ConfigError(
        fmt::format("{}: is a complete run, not a shard; `feedrate sweep --shard 1/4` makes shards",
                    one.folder.string()));
  }
  const SweepShard shard = *std::exchange(overrides.shard, std::nullopt);
  return {one.folder, one.run, shard, to_texts(overrides), repeats};
}

std::string options_text(const Part& part) {
  return part.overrides.empty() ? "no options" : fmt::format("{}", fmt::join(part.overrides, " "));
}

void require_same_cell(const Part& first, const Part& other, std::size_t index) {
  const CellResult& a = first.run.cells[index];
  const CellResult& b = other.run.cells[index];
  for (const Setting& setting : a.settings) {
    const std::string here = setting_text(b, setting.name);
    const std::string there = to_string(setting.value);
    if (here == there) continue;
    refuse(other, fmt::format("cell {} has {} \"{}\", and in {} \"{}\": the plans differ", b.index,
                              setting.name, here, first.folder.string(), there));
  }
}

void require_same_sweep(const Part& first, const Part& other) {
  const std::string there = first.folder.string();
  if (other.run.config_text != first.run.config_text) {
    refuse(other, fmt::format("was measured with a different configuration than {}", there));
  }
  if (other.overrides != first.overrides) {
    refuse(other, fmt::format("was measured with {}, and {} with {}", options_text(other), there,
                              options_text(first)));
  }
  if (other.shard.count != first.shard.count) {
    refuse(other, fmt::format("is shard {}, and {} is shard {}: the number of shards differs",
                              to_string(other.shard), there, to_string(first.shard)));
  }
  if (other.run.cells.size() != first.run.cells.size()) {
    refuse(other, fmt::format("its plan has {} cells, that of {} has {}", other.run.cells.size(),
                              there, first.run.cells.size()));
  }
  for (std::size_t i = 0; i < first.run.cells.size(); ++i) require_same_cell(first, other, i);
}

// Nodes of one model differ slightly in usable memory and in names of volumes.
bool must_be_same(const std::string& name) {
  if (name == "memory_total" || name == "storage") return false;
  return name == "feedrate" || must_match(name);
}

class MergedEnvironment {
 public:
  explicit MergedEnvironment(bool may_mix) : may_mix_(may_mix) {}

  void add(const Part& part) {
    for (const Fact& fact : part.run.environment.facts) add_fact(fact, part);
    for (const std::string& warning : part.run.environment.warnings) {
      if (!holds_warning(merged_.warnings, warning)) merged_.warnings.push_back(warning);
    }
  }

  [[nodiscard]] Environment take() { return std::move(merged_); }

 private:
  void add_fact(const Fact& fact, const Part& part) {
    const auto [first, is_new] = first_.try_emplace(fact.name, std::pair(fact.value, &part));
    if (is_new) {
      merged_.facts.push_back(fact);
    } else if (const auto& [value, before] = first->second; value != fact.value) {
      compare(fact, value, part, *before);
      append(fact);
    }
  }

  void compare(const Fact& fact, const std::string& before, const Part& part, const Part& first) {
    if (must_be_same(fact.name) && !may_mix_) {
      refuse(part,
             fmt::format("{} is \"{}\", and in {} \"{}\": these cells are not comparable; --mix "
                         "merges them anyway",
                         fact_in_words(fact.name), fact.value, first.folder.string(), before));
    }
    if (!is_worth_a_warning(fact.name) || fact.name == "host_name") return;
    const std::string warning =
        fmt::format("Some cells were measured with {} \"{}\", others with \"{}\".",
                    fact_in_words(fact.name), before, fact.value);
    if (!holds_warning(merged_.warnings, warning)) merged_.warnings.push_back(warning);
  }

  void append(const Fact& fact) {
    if (!values_[fact.name].insert(fact.value).second) return;
    const auto known = std::find_if(merged_.facts.begin(), merged_.facts.end(),
                                    [&](const Fact& one) { return one.name == fact.name; });
    known->value += ", " + fact.value;
  }

  const bool may_mix_;
  Environment merged_;
  std::map<std::string, std::pair<std::string, const Part*>> first_;
  std::map<std::string, std::set<std::string>> values_;
};

bool is_own(const CellResult& cell) {
  return cell.outcome != Outcome::kSkipped || !is_other_shard_reason(cell.reason);
}

bool was_tried(const CellResult& cell) {
  return cell.outcome == Outcome::kOk || cell.outcome == Outcome::kFailed;
}

// Takes the cell from its own shard; a cell that the plan skips is the same in all.
CellResult merged_cell(const std::vector<Part>& parts, std::size_t index) {
  const Part* owner = nullptr;
  for (const Part& part : parts) {
    const CellResult& cell = part.run.cells[index];
    if (!is_own(cell)) continue;
    if (owner != nullptr && was_tried(owner->run.cells[index]) && was_tried(cell)) {
      refuse(part, fmt::format("has cell {}, and so does {}: the plans differ", cell.index,
                               owner->folder.string()));
    }
    if (owner == nullptr || was_tried(cell)) owner = &part;
  }
  if (owner != nullptr) return owner->run.cells[index];
  CellResult missing = parts.front().run.cells[index];
  missing.outcome = Outcome::kPending;
  missing.reason.clear();
  return missing;
}

bool is_complete(const CellResult& cell, std::size_t repeats) {
  return cell.outcome == Outcome::kSkipped || cell.outcome == Outcome::kFailed ||
         (cell.outcome == Outcome::kOk && cell.repeats.size() >= repeats);
}

std::string cells_text(const std::vector<std::size_t>& cells) {
  return fmt::format("cell{} {}", cells.size() == 1 ? "" : "s", fmt::join(cells, ", "));
}

std::vector<std::string> what_is_missing(const std::vector<Part>& parts) {
  const Part& first = parts.front();
  std::map<std::string, std::vector<std::size_t>>
      of_missing;  // cells by the skip reason that names their shard
  std::set<std::string> here;
  for (const Part& part : parts) here.insert(other_shard_reason(part.shard));
  for (const CellResult& cell : first.run.cells) {
    if (!is_own(cell) && !here.contains(cell.reason)) {
      of_missing[cell.reason].push_back(cell.index);
    }
  }
  std::vector<std::string> sentences;
  for (std::size_t number = 1; number <= first.shard.count; ++number) {
    const SweepShard shard{number, first.shard.count};
    const auto cells = of_missing.find(other_shard_reason(shard));
    if (cells == of_missing.end()) continue;
    sentences.push_back(
        fmt::format("shard {} is missing: {}", to_string(shard), cells_text(cells->second)));
  }
  for (const Part& part : parts) {
    std::vector<std::size_t> open;
    for (const CellResult& cell : part.run.cells) {
      if (is_own(cell) && !is_complete(cell, part.repeats)) open.push_back(cell.index);
    }
    if (open.empty()) continue;
    sentences.push_back(fmt::format("shard {} in {} is incomplete: {}", to_string(part.shard),
                                    part.folder.string(), cells_text(open)));
  }
  return sentences;
}

void require_nothing_missing(const std::vector<std::string>& missing) {
  if (missing.empty()) return;
  throw ConfigError(fmt::format(
      "the shards are not complete:\n"
      "  {}\n"
      "Resume each with --continue or --resume, or merge the available results with --partial.",
      fmt::join(missing, "\n  ")));
}

std::string earliest_start(const std::vector<Part>& parts) {
  std::string earliest = parts.front().run.started_at;
  for (const Part& part : parts) earliest = std::min(earliest, part.run.started_at);
  return earliest;
}

// The job array's id, if all shards are its tasks.
std::string common_jobid(const std::vector<Part>& parts) {
  std::set<std::string> jobs;
  for (const Part& part : parts) {
    jobs.insert(part.run.jobid.substr(0, part.run.jobid.find('_')));
  }
  return jobs.size() == 1 ? *jobs.begin() : std::string();
}

std::set<std::string> nodes_of(const std::vector<CellResult>& cells) {
  std::set<std::string> nodes;
  for (const CellResult& cell : cells) {
    if (!cell.node.empty()) nodes.insert(cell.node);
  }
  return nodes;
}

void add_shard_facts(RunResult& run, const std::vector<Part>& parts) {
  for (const Part& part : parts) {
    const std::string job = part.run.jobid.empty() ? "" : fmt::format(", job {}", part.run.jobid);
    run.environment.facts.push_back(
        {fmt::format("{}{}", kShardFact, to_string(part.shard)),
         fmt::format("{}{}, node {}, started {}", part.folder.string(), job,
                     fmt::join(nodes_of(part.run.cells), " "), part.run.started_at)});
  }
}

void add_warnings(RunResult& run, const std::vector<std::string>& missing) {
  std::vector<std::string>& warnings = run.environment.warnings;
  const std::set<std::string> nodes = nodes_of(run.cells);
  if (nodes.size() > 1) {
    warnings.push_back(
        fmt::format("The cells were measured on {} nodes, {}: differences between cells include "
                    "differences between nodes.",
                    nodes.size(), fmt::join(nodes, ", ")));
  }
  for (const std::string& sentence : missing) {
    warnings.push_back(fmt::format("Merged with shards missing: {}.", sentence));
  }
}

std::vector<Part> parts_in_order(const std::vector<ShardRun>& shards) {
  std::vector<Part> parts;
  for (const ShardRun& one : shards) parts.push_back(part_of(one));
  for (const Part& part : parts) require_same_sweep(parts.front(), part);
  std::map<std::size_t, const Part*> by_number;
  for (const Part& part : parts) {
    const auto [known, is_new] = by_number.try_emplace(part.shard.number, &part);
    if (is_new) continue;
    refuse(part, fmt::format("is shard {}, and so is {}; remove one of them", to_string(part.shard),
                             known->second->folder.string()));
  }
  std::vector<Part> sorted;
  for (const auto& [number, part] : by_number) sorted.push_back(*part);
  return sorted;
}

}  // namespace

RunResult merge_shards(const std::vector<ShardRun>& shards, const MergeOptions& options) {
  const std::vector<Part> parts = parts_in_order(shards);
  const std::vector<std::string> missing = what_is_missing(parts);
  if (!options.partial) require_nothing_missing(missing);
  RunResult merged = parts.front().run;
  merged.started_at = earliest_start(parts);
  merged.overrides = parts.front().overrides;
  merged.jobid = common_jobid(parts);
  merged.interrupted = !missing.empty();
  MergedEnvironment environment(options.may_mix);
  for (const Part& part : parts) {
    merged.simulated = merged.simulated || part.run.simulated;
    environment.add(part);
  }
  merged.environment = environment.take();
  for (std::size_t i = 0; i < merged.cells.size(); ++i) merged.cells[i] = merged_cell(parts, i);
  add_shard_facts(merged, parts);
  add_warnings(merged, missing);
  judge_by_limits(merged);
  return merged;
}

bool is_merged(const RunResult& run) {
  return std::any_of(run.environment.facts.begin(), run.environment.facts.end(),
                     [](const Fact& fact) { return fact.name.starts_with(kShardFact); });
}

}  // namespace feedrate
