// SPDX-License-Identifier: Apache-2.0
#include "analysis/limits.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "analysis/best.h"
#include "analysis/cell_text.h"
#include "analysis/data_stalls.h"
#include "analysis/foreign_load.h"
#include "analysis/noise.h"
#include "analysis/resource_advice.h"
#include "bench/plan/reference_work.h"
#include "core/contains.h"
#include "core/format.h"

namespace feedrate {
namespace {

constexpr std::array<Bottleneck, 8> kAll{
    Bottleneck::kStorage, Bottleneck::kDecode,  Bottleneck::kTransport, Bottleneck::kCopy,
    Bottleneck::kGpu,     Bottleneck::kCpuStep, Bottleneck::kBalanced,  Bottleneck::kForeign};

constexpr std::array<const char*, 5> kLimitMetrics{"step_limit", "trainer_limit", "loader_limit",
                                                   "stall", "headspace"};

bool is_judged(const CellResult& cell) {
  return cell.outcome == Outcome::kOk && !is_limit(cell) && rate_of(cell) > 0.0;
}

using LimitRates = std::map<std::string, double>;

struct Limits {
  LimitRates steps;     // By trainer_work, without copies.
  LimitRates trainers;  // By trainer_work.
  LimitRates loaders;   // By loading_work.
};

void raise(LimitRates& rates, const std::string& work, double rate) {
  const auto [known, is_new] = rates.try_emplace(work, rate);
  if (!is_new) known->second = std::max(known->second, rate);
}

Limits find_limits(const RunResult& run) {
  Limits limits;
  for (const CellResult& cell : run.cells) {
    if (cell.outcome != Outcome::kOk || !(rate_of(cell) > 0.0)) continue;
    if (setting_text(cell, "loader") == "resident") {
      raise(limits.steps, trainer_work(cell.settings), rate_of(cell));
    } else if (has_mock_loader(cell.settings)) {
      raise(limits.trainers, trainer_work(cell.settings), rate_of(cell));
    } else if (setting_text(cell, "trainer") == "discard") {
      raise(limits.loaders, loading_work(cell.settings), rate_of(cell));
    }
  }
  return limits;
}

// Assumed for a rate without an interval.
constexpr double kUnknownNoise = 1.0 / 3.0;

Interval likely_rates(const CellResult& cell) {
  const double rate = rate_of(cell);
  return rate_interval(cell).value_or(
      Interval{(1.0 - kUnknownNoise) * rate, (1.0 + kUnknownNoise) * rate});
}

std::set<std::string> refuted_trainers(const RunResult& run) {
  std::map<std::string, double> most;
  for (const CellResult& cell : run.cells) {
    if (cell.outcome != Outcome::kOk || setting_text(cell, "loader") != "cached") continue;
    raise(most, trainer_work(cell.settings), likely_rates(cell).high);
  }
  std::set<std::string> refuted;
  for (const CellResult& cell : run.cells) {
    const auto limit = most.find(trainer_work(cell.settings));
    if (!is_judged(cell) || limit == most.end()) continue;
    if (likely_rates(cell).low > (1.0 + kBalance) * limit->second) refuted.insert(limit->first);
  }
  return refuted;
}

std::optional<double> limit_of(const LimitRates& rates, const std::string& work) {
  const auto known = rates.find(work);
  return known == rates.end() ? std::nullopt : std::optional(known->second);
}

double metric(const CellResult& cell, const char* tag) {
  const double* const value = find_metric(cell.metrics, tag);
  return value == nullptr ? std::numeric_limits<double>::quiet_NaN() : *value;
}

double metric_or_zero(const CellResult& cell, const char* tag) {
  const double value = metric(cell, tag);
  return std::isfinite(value) ? value : 0.0;
}

double number_of(const CellResult& cell, const char* name) {
  return static_cast<double>(count_of(cell.settings, name));
}

double rank_batch_size(const CellResult& cell) {
  return global_batch_size(cell) / std::max(1.0, number_of(cell, "ranks"));
}

// Seconds per batch, in one worker and on the device.
struct StageTimes {
  double worker = 0.0;  // From batch to batch, waiting included.
  double read = 0.0;
  double decode = 0.0;
  double transport = 0.0;  // The rest of `worker`.
  double cpu = 0.0;
  double copy = 0.0;  // Not overlapped by a kernel.
  double compute = 0.0;
  // False for the PyTorch engine, which cannot time its workers' stages, and with emulated costs,
  // which belong to no stage.
  bool has_stages = false;
};

double step_of(const CellResult& cell) { return global_batch_size(cell) / rate_of(cell); }

StageTimes stage_times(const CellResult& cell) {
  const double batch = rank_batch_size(cell);
  const double workers = number_of(cell, "num_workers");
  const double step = step_of(cell);
  StageTimes times;
  // Without workers, loading excludes the trainer's own time.
  times.worker = workers > 0.0 ? workers * step : metric_or_zero(cell, "wait_time");
  times.read = batch * metric_or_zero(cell, "read_time");
  times.decode =
      batch * (metric_or_zero(cell, "decode_time") + metric_or_zero(cell, "transform_time"));
  times.has_stages = times.read + times.decode > 0.0 && setting_text(cell, "emulate").empty();
  times.transport = std::max(0.0, times.worker - times.read - times.decode);
  times.cpu = batch * metric_or_zero(cell, "cpu_time");
  times.copy =
      metric_or_zero(cell, "copy_time_device") * (1.0 - metric_or_zero(cell, "copy_overlap"));
  times.compute = metric_or_zero(cell, "compute_time_device");
  return times;
}

// 512 bytes per sample exclude what imports and logs read.
bool reads_from_storage(const CellResult& cell) {
  constexpr double kLeastBytes = 512.0;
  const double samples = metric_or_zero(cell, "steps") * rank_batch_size(cell);
  return metric_or_zero(cell, "storage_read_bytes") > kLeastBytes * samples;
}

// `own` includes discarded steps, which avoids false reports.
bool others_took_storage(const CellResult& cell) {
  const double seconds = metric_or_zero(cell, "steps") * step_of(cell);
  const double own = metric_or_zero(cell, "storage_read_bytes");
  return reads_from_storage(cell) && metric_or_zero(cell, "foreign_io") * seconds > own;
}

Bottleneck slowest_stage(const CellResult& cell, const StageTimes& times) {
  if (times.has_stages) {
    if (times.read >= std::max(times.decode, times.transport)) return Bottleneck::kStorage;
    return times.decode >= times.transport ? Bottleneck::kDecode : Bottleneck::kTransport;
  }
  if (2.0 * times.cpu >= times.worker || has_full_cpus(cell)) return Bottleneck::kDecode;
  return reads_from_storage(cell) ? Bottleneck::kStorage : Bottleneck::kTransport;
}

Bottleneck classify(const CellResult& cell, double stall) {
  const StageTimes times = stage_times(cell);
  if (stall <= kNothingToWin) {
    if (setting_text(cell, "device") == "cpu") return Bottleneck::kCpuStep;
    return times.copy > times.compute ? Bottleneck::kCopy : Bottleneck::kGpu;
  }
  const double stalled = stall * step_of(cell);
  const double waited = metric_or_zero(cell, "wait_time");
  if (times.copy > waited && 2.0 * times.copy >= stalled) return Bottleneck::kCopy;
  if (stall <= kBalance) return Bottleneck::kBalanced;
  if (is_disturbed(cell)) return Bottleneck::kForeign;
  // If neither waiting nor the copy explains the stall, the trainer shares its CPU with the
  // workers.
  const bool is_explained = 2.0 * (waited + times.copy) >= stalled;
  const Bottleneck stage = is_explained ? slowest_stage(cell, times) : Bottleneck::kDecode;
  return stage == Bottleneck::kStorage && others_took_storage(cell) ? Bottleneck::kForeign : stage;
}

void judge(CellResult& cell, const Limits& limits, const std::set<std::string>& refuted) {
  std::erase_if(cell.metrics, [](const Metric& old) {
    return contains(kLimitMetrics, std::string_view(old.tag));
  });
  cell.bottleneck.clear();
  if (!is_judged(cell)) return;
  const auto trainer = limit_of(limits.trainers, trainer_work(cell.settings));
  const auto loader = limit_of(limits.loaders, loading_work(cell.settings));
  if (const auto step = limit_of(limits.steps, trainer_work(cell.settings))) {
    cell.metrics.push_back({"step_limit", *step});
  }
  if (trainer) cell.metrics.push_back({"trainer_limit", *trainer});
  if (loader) cell.metrics.push_back({"loader_limit", *loader});
  if (!trainer || refuted.contains(trainer_work(cell.settings))) return;
  const double headspace = *trainer / rate_of(cell);
  // A cell may exceed its limit by noise.
  const double stall = std::max(0.0, 1.0 - 1.0 / headspace);
  cell.metrics.push_back({"stall", stall});
  cell.metrics.push_back({"headspace", headspace});
  cell.bottleneck = to_string(classify(cell, stall));
}

std::string seconds(double value) { return format_value(value, Unit::kSeconds); }

std::string rate(double value) { return format_value(value, Unit::kSamplesPerSecond); }

std::string trainer_proof(const StageTimes& times) {
  if (times.copy + times.compute <= 0.0) return {};
  return fmt::format(
      "; a batch takes {} of compute and {} of copy that does not overlap with kernels",
      seconds(times.compute), seconds(times.copy));
}

std::string loader_proof(const StageTimes& times, bool waits_for_cpu) {
  if (!times.has_stages) {
    if (times.cpu <= 0.0) return {};
    return fmt::format("; of {} per batch in a worker, {} are CPU time{}", seconds(times.worker),
                       seconds(std::min(times.cpu, times.worker)),
                       waits_for_cpu ? ", the rest is waiting for a CPU" : "");
  }
  return fmt::format(
      "; of {} per batch in a worker, reading takes {}, decoding and transforms {}, collating and "
      "transport {}",
      seconds(times.worker), seconds(times.read), seconds(times.decode), seconds(times.transport));
}

std::string limits_text(const CellResult& cell) {
  std::string text =
      fmt::format("the trainer alone reaches {}", rate(metric(cell, "trainer_limit")));
  const double step = metric(cell, "step_limit");
  if (std::isfinite(step)) text += fmt::format(" ({} without a copy)", rate(step));
  const double loader = metric(cell, "loader_limit");
  if (std::isfinite(loader)) text += fmt::format(", the loader alone reaches {}", rate(loader));
  return text;
}

bool is_trainer_side(const std::string& bottleneck) {
  return bottleneck == to_string(Bottleneck::kGpu) ||
         bottleneck == to_string(Bottleneck::kCpuStep) ||
         bottleneck == to_string(Bottleneck::kCopy);
}

std::string proof_of(const CellResult& cell) {
  if (cell.bottleneck == to_string(Bottleneck::kForeign)) {
    return fmt::format("; {}; its undisturbed rate is unknown", foreign_load_text(cell));
  }
  const StageTimes times = stage_times(cell);
  return is_trainer_side(cell.bottleneck) ? trainer_proof(times)
                                          : loader_proof(times, has_full_cpus(cell));
}

}  // namespace

const char* to_string(Bottleneck bottleneck) noexcept {
  switch (bottleneck) {
    case Bottleneck::kStorage:
      return "storage";
    case Bottleneck::kDecode:
      return "decode CPU";
    case Bottleneck::kTransport:
      return "transport";
    case Bottleneck::kCopy:
      return "copy";
    case Bottleneck::kGpu:
      return "GPU";
    case Bottleneck::kCpuStep:
      return "step CPU";
    case Bottleneck::kBalanced:
      return "balanced";
    case Bottleneck::kForeign:
      break;
  }
  return "other programs";
}

void judge_by_limits(RunResult& run) {
  if (run.history) return;  // A training has no mocks; its waiting times judge it.
  const Limits limits = find_limits(run);
  const std::set<std::string> refuted = refuted_trainers(run);
  for (CellResult& cell : run.cells) judge(cell, limits, refuted);
  add_data_stalls(run);
}

std::string verdict_text(const CellResult& cell) {
  if (cell.bottleneck.empty()) {
    if (!(metric(cell, "trainer_limit") > 0.0)) return {};
    return fmt::format(
        "unknown: {}, less than a cell with the loader, so that it is not the trainer's limit",
        limits_text(cell));
  }
  const double stall = metric_or_zero(cell, "stall");
  const std::string proof = proof_of(cell);
  if (stall > kNothingToWin) {
    return fmt::format("{}: {} of the step is stalled, up to {:.2f}x possible: {}{}",
                       cell.bottleneck, format_value(stall, Unit::kRatio),
                       metric(cell, "headspace"), limits_text(cell), proof);
  }
  if (cell.bottleneck == to_string(Bottleneck::kCopy)) {
    return fmt::format("copy: at the trainer's limit, faster loading gains nothing: {}{}",
                       limits_text(cell), proof);
  }
  if (cell.bottleneck == to_string(Bottleneck::kCpuStep)) {
    return fmt::format("step CPU: the step takes the time, faster loading gains nothing: {}{}",
                       limits_text(cell), proof);
  }
  // A rate of the native loader does not bound PyTorch's.
  const bool is_native = setting_text(cell, "engine") == "native";
  return fmt::format("{}: already GPU-bound, faster loading{} gains nothing: {}{}", cell.bottleneck,
                     is_native ? " with the native loader" : "", limits_text(cell), proof);
}

std::string bottleneck_counts(const RunResult& run) {
  std::string text;
  for (const Bottleneck bottleneck : kAll) {
    const auto count = std::count_if(
        run.cells.begin(), run.cells.end(),
        [&](const CellResult& cell) { return cell.bottleneck == to_string(bottleneck); });
    if (count == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", to_string(bottleneck), count);
  }
  return text;
}

}  // namespace feedrate
