// SPDX-License-Identifier: Apache-2.0
// Predicts the rate of a recorded run on many nodes that share one storage, by formula. Pure
// functions; any thread. The run must outlive what they return.
//
// The formula is the asymptotic bound of queueing networks (Denning and Buzen, The Operational
// Analysis of Queueing Network Models, ACM Computing Surveys 10(3), 1978): with R ranks, each of
// which would reach x samples/s with the storage to itself, and b bytes and m metadata operations
// per sample,
//
//   X(R) = min(R·x, B/b, N·L/b, M/m)
//
// with the storage's bandwidth B and metadata rate M, and N nodes with links of L. This assumes
// that no rank ever waits for another at the storage. If all workers always meet there, it is
//
//   min(R·x, 1/(1/(R·y) + 1/S))
//
// with y the rate of a rank's loader alone and S the storage's least bound. The two differ most, by
// up to half, near the point where ranks and storage reach the same rate.
#pragma once
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "analysis/tuner/changed_world.h"
#include "core/result.h"

namespace feedrate {

/// Nodes and their shared storage. Infinity is no limit.
struct Cluster {
  std::size_t nodes = 1;
  std::size_t ranks_per_node = 1;
  double storage_bandwidth = std::numeric_limits<double>::infinity();  ///< bytes/s, of all nodes
  double storage_latency = 0.0;                                        ///< seconds per round trip
  double metadata_rate = std::numeric_limits<double>::infinity();   ///< operations/s, of all nodes
  double node_bandwidth = std::numeric_limits<double>::infinity();  ///< bytes/s, of each node

  [[nodiscard]] std::size_t ranks() const { return nodes * ranks_per_node; }
};

struct SampleReads {
  double bytes = 0.0;
  double metadata_operations = 0.0;  ///< opens
  double round_trips = 1.0;
};

struct ScalingQuestion {
  Cluster cluster;  ///< `nodes` is the largest number
  World world;      ///< gpu_speed and cores of one rank
  std::optional<double> sample_bytes = {};
  std::optional<double> metadata_per_sample = {};
};

enum class ScaleLimit {
  kOwn,        ///< the ranks (StepLimit)
  kBandwidth,  ///< of the shared storage
  kMetadata,
  kNodeLink,
};

enum class Layout {
  kAsItIs,
  kMoreWorkers,  ///< enough workers to hide the storage's latency
  kPacked,       ///< in large files that are opened once
  kStaged,       ///< a copy on each node
};

/// Samples/s of all ranks.
struct ScaleBound {
  double rate = 0.0;
  ScaleLimit limit = ScaleLimit::kOwn;
};

/// X(R) of the formula above; own_rate is x. REQUIRES: own_rate > 0
[[nodiscard]] ScaleBound scale_bound(double own_rate, const SampleReads& reads,
                                     const Cluster& cluster);

/// The least number of nodes with a limit other than the ranks; empty if it exceeds 1e9.
[[nodiscard]] std::optional<double> saturation_nodes(double own_rate, const SampleReads& reads,
                                                     const Cluster& cluster);

struct ScalePoint {
  std::size_t nodes = 1;
  const CellResult* cell = nullptr;
  ScaleBound bound;
  double at_least = 0.0;  ///< samples/s of all ranks if all workers always meet at the storage
  StepLimit own_limit;    ///< of one rank
  double own_rate = 0.0;  ///< of one rank

  /// The rate divided by that of ranks with the storage to themselves.
  [[nodiscard]] double efficiency(std::size_t ranks_per_node) const {
    return bound.rate / (own_rate * static_cast<double>(nodes * ranks_per_node));
  }
};

/// The best rate on the most nodes with a layout.
struct LayoutForecast {
  Layout layout = Layout::kAsItIs;
  std::size_t num_workers = 0;  ///< per rank
  const CellResult* cell = nullptr;
  ScaleBound bound;
  StepLimit own_limit;                 ///< of one rank
  std::optional<double> saturates_at;  ///< nodes
  /// Only for kStaged: seconds until all nodes have a copy, and epochs until it pays off.
  double staging_time = 0.0;
  double break_even_epochs = std::numeric_limits<double>::infinity();
};

struct ScalingAnswer {
  std::string situation;  ///< as in what_if(); may be empty
  std::vector<const CellResult*> cells;
  SampleReads reads;                    ///< of the best cell at the most nodes
  std::vector<ScalePoint> points;       ///< at 1, 2, 4, … and the most nodes
  std::optional<double> saturates_at;   ///< nodes, for the best settings at the most nodes
  std::vector<LayoutForecast> layouts;  ///< kAsItIs first
  double records = 0.0;                 ///< of the dataset; 0: unknown
};

/// `cores`: of the recorded machine. Throws ConfigError if neither the run nor the question has the
/// size of a sample. REQUIRES: cores > 0
[[nodiscard]] std::vector<ScalingAnswer> scale_run(const RunResult& run, double cores,
                                                   const ScalingQuestion& question);

}  // namespace feedrate
