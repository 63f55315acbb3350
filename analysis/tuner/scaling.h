// SPDX-License-Identifier: Apache-2.0
// What a recorded run would reach on many nodes that share one storage, by formula. Pure functions;
// any thread. The run must outlive what they return.
//
// The formula is that of the asymptotic bounds of queueing networks (Denning and Buzen, The
// Operational Analysis of Queueing Network Models, ACM Computing Surveys 10(3), 1978): with R
// ranks, each of which would reach x samples/s with the storage to itself, and b bytes and m
// metadata operations a sample,
//
//   X(R) = min(R·x, B/b, N·L/b, M/m)
//
// of the storage's bandwidth B and metadata rate M and the N nodes' links of L. That is where none
// ever waits for another at the storage; where all workers always meet there, it is
//
//   min(R·x, 1/(1/(R·y) + 1/S))
//
// with y the rate of a rank's loader alone and S the storage's least bound. The two differ most,
// by up to half, near the point where ranks and storage reach the same.
#pragma once
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "analysis/tuner/changed_world.h"
#include "core/result.h"

namespace feedrate {

/// A storage that nodes share, and how many there are. Infinity is no limit.
struct Cluster {
  std::size_t nodes = 1;
  std::size_t ranks_per_node = 1;
  double storage_bandwidth = std::numeric_limits<double>::infinity();  ///< bytes/s, of all nodes
  double storage_latency = 0.0;                                        ///< seconds a round trip
  double metadata_rate = std::numeric_limits<double>::infinity();      ///< operations/s, of all
  double node_bandwidth = std::numeric_limits<double>::infinity();     ///< bytes/s, of each node

  [[nodiscard]] std::size_t ranks() const { return nodes * ranks_per_node; }
};

/// What a sample wants of the storage; nothing known: as the run says, else an error.
struct SampleReads {
  double bytes = 0.0;
  double metadata_operations = 0.0;  ///< opens
  double round_trips = 1.0;
};

struct ScalingQuestion {
  Cluster cluster;  ///< nodes: the most to be looked at
  World world;      ///< gpu_speed and cores, of one rank
  std::optional<double> sample_bytes = {};
  std::optional<double> metadata_per_sample = {};
};

enum class ScaleLimit {
  kOwn,        ///< the ranks: their GPU, cores or copies (StepLimit says which)
  kBandwidth,  ///< of the storage
  kMetadata,
  kNodeLink,
};

/// How samples come to the ranks.
enum class Layout {
  kAsItIs,
  kMoreWorkers,  ///< as it is, by workers enough to hide the storage's answers from each other
  kPacked,       ///< the same samples in large files that are opened once
  kStaged,       ///< a copy on each node: nothing of it is shared
};

/// Samples/s of all ranks.
struct ScaleBound {
  double rate = 0.0;
  ScaleLimit limit = ScaleLimit::kOwn;
};

/// X(R) of the formula. REQUIRES: own_rate > 0, of one rank
[[nodiscard]] ScaleBound scale_bound(double own_rate, const SampleReads& reads,
                                     const Cluster& cluster);

/// The least number of nodes with which something other than the ranks is the limit; nothing where
/// no number up to 1e9 is.
[[nodiscard]] std::optional<double> saturation_nodes(double own_rate, const SampleReads& reads,
                                                     const Cluster& cluster);

/// Best settings on so many nodes.
struct ScalePoint {
  std::size_t nodes = 1;
  const CellResult* cell = nullptr;
  ScaleBound bound;
  double at_least = 0.0;  ///< samples/s of all ranks if their workers always meet at the storage
  StepLimit own_limit;    ///< of one rank
  double own_rate = 0.0;  ///< of one rank

  /// Of ranks that had the storage to themselves.
  [[nodiscard]] double efficiency(std::size_t ranks_per_node) const {
    return bound.rate / (own_rate * static_cast<double>(nodes * ranks_per_node));
  }
};

/// At the most nodes, with another layout.
struct LayoutForecast {
  Layout layout = Layout::kAsItIs;
  std::size_t num_workers = 0;  ///< of each rank
  const CellResult* cell = nullptr;
  ScaleBound bound;
  StepLimit own_limit;                 ///< of one rank
  std::optional<double> saturates_at;  ///< nodes
  /// Of kStaged: seconds until all nodes have their copy, and epochs until that has paid.
  double staging_time = 0.0;
  double break_even_epochs = std::numeric_limits<double>::infinity();
};

struct ScalingAnswer {
  std::string situation;  ///< as of what_if(); may be empty
  std::vector<const CellResult*> cells;
  SampleReads reads;                    ///< of the best cell at the most nodes
  std::vector<ScalePoint> points;       ///< at 1, 2, 4, … and the most nodes
  std::optional<double> saturates_at;   ///< nodes, of the best settings at the most nodes
  std::vector<LayoutForecast> layouts;  ///< as it is first
  double records = 0.0;                 ///< of the dataset; 0: the run does not say
};

/// REQUIRES: cores > 0, those of the machine that the run was recorded on. Throws ConfigError where
/// neither the run nor the question says how large a sample is.
[[nodiscard]] std::vector<ScalingAnswer> scale_run(const RunResult& run, double cores,
                                                   const ScalingQuestion& question);

}  // namespace feedrate
