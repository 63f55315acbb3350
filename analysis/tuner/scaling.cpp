// SPDX-License-Identifier: Apache-2.0
#include "analysis/tuner/scaling.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "analysis/best.h"
#include "analysis/noise.h"
#include "analysis/tuner/dataset_counts.h"
#include "analysis/tuner/fitted_work.h"
#include "analysis/tuner/settings.h"
#include "core/error.h"

namespace feedrate {
namespace {

constexpr double kUnreachable = std::numeric_limits<double>::infinity();

constexpr std::array<double BatchCosts::*, 15> kSeconds{
    &BatchCosts::inline_load,   &BatchCosts::worker_load, &BatchCosts::dispatch,
    &BatchCosts::receive,       &BatchCosts::pin,         &BatchCosts::inline_pin,
    &BatchCosts::copy_pageable, &BatchCosts::copy_fresh,  &BatchCosts::copy_pinned,
    &BatchCosts::release,       &BatchCosts::host,        &BatchCosts::compute,
    &BatchCosts::worker_start,  &BatchCosts::worker_stop, &BatchCosts::first_task};

// Attributes a cell's unexplained difference to the speed of the machine.
FittedModel corrected(FittedModel model, double factor) {
  for (const auto member : kSeconds) model.costs.*member /= factor;
  return model;
}

FittedModel without_recorded_storage(FittedModel model) {
  model.costs.inline_load *= model.costs.cpu_share;
  model.costs.worker_load *= model.costs.cpu_share;
  model.costs.cpu_share = 1.0;
  model.cores.lanes = kUnreachable;
  return model;
}

FittedModel with_wait(FittedModel model, const LoopSettings& settings, double seconds) {
  BatchCosts& costs = model.costs;
  const double load = settings.num_workers > 0 ? costs.worker_load : costs.inline_load;
  costs.inline_load += seconds;
  costs.worker_load += seconds;
  if (!(load + seconds > 0.0)) return model;
  const double share = load / (load + seconds);
  costs.cpu_share *= share;
  model.read_share = model.read_share * share + (1.0 - share);
  return model;
}

double wait_of(const SampleReads& reads, const Cluster& cluster) {
  return reads.round_trips * cluster.storage_latency +
         reads.metadata_operations / cluster.metadata_rate +
         reads.bytes / std::min(cluster.storage_bandwidth, cluster.node_bandwidth);
}

struct RankModel {
  const CellResult* cell = nullptr;
  LoopSettings loop;
  double batch = 1.0;
  FittedModel model = {};  ///< without the storage
  SampleReads reads = {};
  double own_rate = 0.0;
  double loader_rate = 0.0;

  RankModel with_reads(const SampleReads& other, const Cluster& cluster) const {
    RankModel changed = *this;
    changed.reads = other;
    const FittedModel there = waiting(other, cluster);
    changed.own_rate = changed.loader_rate = batch / predict(there, loop).step_time;
    if (loop.num_workers == 0) return changed;
    LoopSettings alone = loop;
    alone.discard = true;
    changed.loader_rate = std::max(changed.own_rate, batch / predict(there, alone).step_time);
    return changed;
  }
  StepLimit own_limit(const Cluster& cluster) const {
    return limit_in(waiting(reads, cluster), loop);
  }
  FittedModel waiting(const SampleReads& of, const Cluster& cluster) const {
    return with_wait(model, loop, batch * wait_of(of, cluster));
  }
};

bool is_staged(const CellResult& cell) {
  const std::string staging = text_of(cell.settings, "staging");
  return staging == "copy" || staging == "ram";
}

class Scaling {
 public:
  Scaling(const RunResult& run, const ScalingQuestion& question, const SituatedWorks& situated)
      : run_(run), question_(question) {
    answer_.situation = situated.name;
    for (const FittedWork* const work : situated.works) {
      for (const auto* cells : {&work->cells, &work->pending}) {
        for (const CellResult* cell : *cells) {
          answer_.cells.push_back(cell);
          ranks_.push_back(rank_of(*work, *cell));
        }
      }
    }
  }

  ScalingAnswer answer() {
    const std::size_t most = question_.cluster.nodes;
    for (std::size_t nodes = 1; nodes < most; nodes *= 2) add_point(nodes);
    add_point(most);
    const RankModel& best = best_on(most);
    const Cluster cluster = cluster_of(most);
    answer_.reads = best.reads;
    answer_.saturates_at = saturation_nodes(best.own_rate, best.reads, cluster);
    if (const auto counts = dataset_counts(run_, best.cell->settings)) {
      answer_.records = counts->records;
    }
    add_layouts(best, cluster);
    return std::move(answer_);
  }

 private:
  [[nodiscard]] Cluster cluster_of(std::size_t nodes) const {
    Cluster cluster = question_.cluster;
    cluster.nodes = nodes;
    return cluster;
  }

  [[nodiscard]] RankModel rank_of(const FittedWork& work, const CellResult& cell) const {
    RankModel rank{
        .cell = &cell, .loop = loop_settings(cell.settings), .batch = batch_size_of(cell.settings)};
    rank.model = in_world(work.model, question_.world, work.most_workers);
    if (cell.outcome == Outcome::kOk) {
      rank.model = corrected(rank.model, rate_of(cell) / rate_in(work.model, cell.settings));
    }
    if (text_of(cell.settings, "cache") == "cold") {
      rank.model = without_recorded_storage(rank.model);
    }
    return rank.with_reads(reads_of(cell), question_.cluster);
  }

  [[nodiscard]] SampleReads reads_of(const CellResult& cell) const {
    if (is_staged(cell)) return {.bytes = 0.0, .round_trips = 0.0};
    const auto counts = dataset_counts(run_, cell.settings);
    if (!counts && !question_.sample_bytes) {
      throw ConfigError(
          "the run does not say how large its samples are; give --sample-bytes, as 110KB");
    }
    SampleReads reads;
    reads.bytes = question_.sample_bytes.value_or(counts ? counts->bytes / counts->records : 0.0);
    reads.metadata_operations =
        question_.metadata_per_sample.value_or(counts ? counts->files_per_sample : 0.0);
    reads.round_trips = 1.0 + reads.metadata_operations;
    return reads;
  }

  // scale_bound() is the same for one worker and for eight at saturation.
  [[nodiscard]] static double guaranteed_rate(const RankModel& rank, const Cluster& cluster) {
    const auto ranks = static_cast<double>(cluster.ranks());
    const double shared = scale_bound(kUnreachable, rank.reads, cluster).rate;
    return std::min(rank.own_rate * ranks, 1.0 / (1.0 / (ranks * rank.loader_rate) + 1.0 / shared));
  }

  [[nodiscard]] const RankModel& best_on(std::size_t nodes) const {
    constexpr double kEqual = 0.99;
    const Cluster cluster = cluster_of(nodes);
    const auto rate = [&](const RankModel& rank) { return guaranteed_rate(rank, cluster); };
    double most = 0.0;
    for (const RankModel& rank : ranks_) most = std::max(most, rate(rank));
    const RankModel* best = nullptr;
    for (const RankModel& rank : ranks_) {
      if (rate(rank) < kEqual * most) continue;
      if (best == nullptr || is_cheaper(*rank.cell, *best->cell)) best = &rank;
    }
    return *best;
  }

  void add_point(std::size_t nodes) {
    const Cluster cluster = cluster_of(nodes);
    const RankModel& best = best_on(nodes);
    answer_.points.push_back({.nodes = nodes,
                              .cell = best.cell,
                              .bound = scale_bound(best.own_rate, best.reads, cluster),
                              .at_least = guaranteed_rate(best, cluster),
                              .own_limit = best.own_limit(cluster),
                              .own_rate = best.own_rate});
  }

  void add_layouts(const RankModel& best, const Cluster& cluster) {
    add_layout(Layout::kAsItIs, best, cluster);
    if (is_staged(*best.cell)) return;
    const RankModel wide = with_enough_workers(best, cluster);
    if (wide.loop.num_workers > best.loop.num_workers) {
      add_layout(Layout::kMoreWorkers, wide, cluster);
    }
    if (best.reads.metadata_operations > 0.0) {
      const SampleReads packed{.bytes = best.reads.bytes};
      add_layout(Layout::kPacked, wide.with_reads(packed, cluster), cluster);
    }
    const SampleReads nothing{.bytes = 0.0, .round_trips = 0.0};
    LayoutForecast& staged =
        add_layout(Layout::kStaged, best.with_reads(nothing, cluster), cluster);
    add_staging(staged, best, cluster);
  }

  LayoutForecast& add_layout(Layout layout, const RankModel& rank, const Cluster& cluster) {
    answer_.layouts.push_back(
        {.layout = layout,
         .num_workers = rank.loop.num_workers,
         .cell = rank.cell,
         .bound = scale_bound(rank.own_rate, rank.reads, cluster),
         .own_limit = rank.own_limit(cluster),
         .saturates_at = saturation_nodes(rank.own_rate, rank.reads, cluster)});
    return answer_.layouts.back();
  }

  // Doubles the workers while it pays: waiting workers need no core.
  static RankModel with_enough_workers(const RankModel& rank, const Cluster& cluster) {
    constexpr std::size_t kMostWorkers = 64;
    constexpr double kWorthDoubling = 1.05;
    RankModel enough = rank;
    for (RankModel wider = rank; wider.loop.num_workers < kMostWorkers;) {
      wider.loop.num_workers = std::max<std::size_t>(2 * wider.loop.num_workers, 1);
      wider = wider.with_reads(rank.reads, cluster);
      if (guaranteed_rate(wider, cluster) > kWorthDoubling * guaranteed_rate(enough, cluster)) {
        enough = wider;
      }
    }
    return enough;
  }

  void add_staging(LayoutForecast& staged, const RankModel& best, const Cluster& cluster) const {
    if (!(answer_.records > 0.0)) return;
    const auto nodes = static_cast<double>(cluster.nodes);
    const double bytes = answer_.records * best.reads.bytes;
    staged.staging_time = std::max(
        {nodes * bytes / cluster.storage_bandwidth, bytes / cluster.node_bandwidth,
         nodes * answer_.records * best.reads.metadata_operations / cluster.metadata_rate});
    const double saved =
        answer_.records / answer_.layouts.front().bound.rate - answer_.records / staged.bound.rate;
    if (saved > 0.0) staged.break_even_epochs = staged.staging_time / saved;
  }

  const RunResult& run_;
  const ScalingQuestion& question_;
  std::vector<RankModel> ranks_;
  ScalingAnswer answer_;
};

}  // namespace

ScaleBound scale_bound(double own_rate, const SampleReads& reads, const Cluster& cluster) {
  ScaleBound bound{own_rate * static_cast<double>(cluster.ranks()), ScaleLimit::kOwn};
  const auto limit = [&](double rate, ScaleLimit what) {
    if (rate < bound.rate) bound = {rate, what};
  };
  if (reads.bytes > 0.0) {
    limit(static_cast<double>(cluster.nodes) * cluster.node_bandwidth / reads.bytes,
          ScaleLimit::kNodeLink);
    limit(cluster.storage_bandwidth / reads.bytes, ScaleLimit::kBandwidth);
  }
  if (reads.metadata_operations > 0.0) {
    limit(cluster.metadata_rate / reads.metadata_operations, ScaleLimit::kMetadata);
  }
  return bound;
}

std::optional<double> saturation_nodes(double own_rate, const SampleReads& reads,
                                       const Cluster& cluster) {
  constexpr double kMost = 1e9;
  Cluster one = cluster;
  one.nodes = 1;
  const ScaleBound of_one = scale_bound(own_rate, reads, one);
  if (of_one.limit != ScaleLimit::kOwn) return 1.0;
  double shared = kUnreachable;
  if (reads.bytes > 0.0) shared = cluster.storage_bandwidth / reads.bytes;
  if (reads.metadata_operations > 0.0) {
    shared = std::min(shared, cluster.metadata_rate / reads.metadata_operations);
  }
  const double nodes = std::floor(shared / of_one.rate) + 1.0;
  return nodes <= kMost ? std::optional(nodes) : std::nullopt;
}

std::vector<ScalingAnswer> scale_run(const RunResult& run, double cores,
                                     const ScalingQuestion& question) {
  const std::vector<FittedWork> works = fit_works(run, cores);
  std::vector<ScalingAnswer> answers;
  for (const SituatedWorks& situated : situate(works)) {
    answers.push_back(Scaling(run, question, situated).answer());
  }
  return answers;
}

}  // namespace feedrate
