// Many replayed ranks on nodes that share one storage, on a virtual clock: what a step takes when
// everybody wants its samples at the same time.
//
// A part of a batch is fetched in three stages: round trips (a delay, nobody waits for anybody),
// then metadata operations, which all nodes share as one server does (processor sharing), then
// bytes, which they share likewise, within the limit of each node's link. Then a worker makes it,
// as in replay(). Pure functions; any thread.
#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>

#include "tuner/fit.h"
#include "tuner/replay.h"

namespace feedrate {

/// A storage that nodes share, and how many there are. Infinity is no limit.
struct Cluster {
  std::size_t nodes = 1;
  std::size_t ranks_per_node = 1;
  double storage_bandwidth = std::numeric_limits<double>::infinity();  ///< bytes/s, of all nodes
  double storage_latency = 0.0;                                        ///< seconds a round trip
  double metadata_rate = std::numeric_limits<double>::infinity();      ///< operations/s, of all
  double node_bandwidth = std::numeric_limits<double>::infinity();     ///< bytes/s, of each node
  bool barrier = true;  ///< ranks wait for each other after each step, as DistributedDataParallel

  [[nodiscard]] std::size_t ranks() const { return nodes * ranks_per_node; }
};

/// What a batch wants of the storage.
struct BatchDemand {
  double bytes = 0.0;
  double metadata_operations = 0.0;
  double round_trips = 0.0;  ///< one after another
};

struct ReplayedCluster {
  double step_time = 0.0;  ///< seconds, mean over ranks and steps
  double bandwidth = 0.0;  ///< bytes/s that the storage handed out, over the whole replay
  double metadata_rate = 0.0;
};

/// Every rank has cores of its own, as `model` says. The same seed gives the same. REQUIRES: as
/// replay(); nodes and ranks > 0
[[nodiscard]] ReplayedCluster replay_cluster(const FittedModel& model, const LoopSettings& settings,
                                             const BatchDemand& reads, const Cluster& cluster,
                                             std::size_t steps, std::uint64_t seed = 0);

}  // namespace feedrate
