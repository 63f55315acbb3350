// SPDX-License-Identifier: Apache-2.0
#include "bench/plan/shards.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include "bench/plan/cell_protocol.h"
#include "core/error.h"
#include "core/parse_number.h"
#include "core/random.h"

namespace feedrate {
namespace {

constexpr std::string_view kOtherShard = "belongs to shard ";

std::vector<std::size_t> longest_first(const std::vector<Cell>& plan,
                                       const std::vector<double>& seconds, std::uint64_t seed) {
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < plan.size(); ++i) {
    if (plan[i].skip_reason.empty()) indices.push_back(i);
  }
  RandomStream random(seed);
  for (std::size_t i = indices.size(); i > 1; --i) {
    std::swap(indices[i - 1], indices[random.below(i)]);
  }
  std::stable_sort(indices.begin(), indices.end(),
                   [&](std::size_t a, std::size_t b) { return seconds[a] > seconds[b]; });
  return indices;
}

void require_cell_each(std::size_t shards, std::size_t cells) {
  if (shards <= cells) return;
  throw ConfigError(
      fmt::format("{} shards: the plan has {} cell{} to measure, and a shard needs at least one; "
                  "use at most {} shard{}",
                  shards, cells, cells == 1 ? "" : "s", cells, cells == 1 ? "" : "s"));
}

std::vector<double> seconds_of(const std::vector<Cell>& plan, const MeasureConfig& measure) {
  std::vector<double> seconds;
  for (const Cell& cell : plan) {
    seconds.push_back(cell.skip_reason.empty() ? expected_seconds(cell, measure) : 0.0);
  }
  return seconds;
}

}  // namespace

SweepShard parse_shard(const std::string& text) {
  const std::size_t slash = std::min(text.find('/'), text.size());
  const auto number = parse_number<std::size_t>(std::string_view(text).substr(0, slash));
  const auto count =
      parse_number<std::size_t>(std::string_view(text).substr(std::min(slash + 1, text.size())));
  if (!number || !count || *number < 1 || *number > *count) {
    throw ConfigError(fmt::format(
        "--shard {}: must be NUMBER/COUNT, from 1/COUNT to COUNT/COUNT, such as 2/4", text));
  }
  return {*number, *count};
}

std::string to_string(const SweepShard& shard) {
  return fmt::format("{}/{}", shard.number, shard.count);
}

std::string folder_name(const SweepShard& shard) {
  return fmt::format("shard-{}-of-{}", shard.number, shard.count);
}

double expected_seconds(const Cell& cell, const MeasureConfig& measure) {
  constexpr double kStart = 1.0;
  constexpr double kUnknown = 60.0;
  const CellSpec spec = make_cell_spec(cell.settings, measure.seed);
  // only a machine without the GPU could simulate matrix products: the figure must not depend on it
  const auto steps = spec.gemms ? std::nullopt : least_seconds(spec, measure);
  return steps.value_or(kUnknown) + kStart * static_cast<double>(measure.repeats.least);
}

Shards divide(const std::vector<Cell>& plan, const MeasureConfig& measure, std::size_t count) {
  const std::vector<double> seconds = seconds_of(plan, measure);
  const std::vector<std::size_t> indices = longest_first(plan, seconds, measure.seed);
  require_cell_each(count, indices.size());
  Shards shards{std::vector<std::size_t>(plan.size(), 0), std::vector<double>(count, 0.0),
                std::vector<std::size_t>(count, 0)};
  for (const std::size_t index : indices) {
    const auto least = static_cast<std::size_t>(
        std::min_element(shards.seconds.begin(), shards.seconds.end()) - shards.seconds.begin());
    shards.number_of[index] = least + 1;
    shards.seconds[least] += seconds[index];
    ++shards.cells[least];
  }
  return shards;
}

void keep_shard(std::vector<Cell>& plan, const MeasureConfig& measure, const SweepShard& shard) {
  const Shards shards = divide(plan, measure, shard.count);
  for (std::size_t i = 0; i < plan.size(); ++i) {
    const std::size_t number = shards.number_of[i];
    if (number == 0 || number == shard.number) continue;
    plan[i].skip_reason = other_shard_reason({number, shard.count});
  }
}

std::string other_shard_reason(const SweepShard& other) {
  return fmt::format("{}{}", kOtherShard, to_string(other));
}

bool is_other_shard_reason(const std::string& reason) { return reason.starts_with(kOtherShard); }

std::size_t shards_for(const std::vector<Cell>& plan, const MeasureConfig& measure,
                       double limit_seconds) {
  const std::vector<double> seconds = seconds_of(plan, measure);
  const auto cells = static_cast<std::size_t>(std::count_if(
      plan.begin(), plan.end(), [](const Cell& cell) { return cell.skip_reason.empty(); }));
  const double room = limit_seconds * kShareOfLimit;
  const double least = std::accumulate(seconds.begin(), seconds.end(), 0.0) / room;
  auto count =
      static_cast<std::size_t>(std::clamp(std::ceil(least), 1.0, static_cast<double>(cells)));
  for (; count < cells; ++count) {
    const Shards shards = divide(plan, measure, count);
    if (*std::max_element(shards.seconds.begin(), shards.seconds.end()) <= room) break;
  }
  return count;
}

}  // namespace feedrate
