// The replay of many ranks against what queueing theory says of it. N workers that each compute for
// Z seconds and then want D seconds of a shared server reach between N/(Z + N·D), when all of them
// always meet there, and min(N/(Z + D), 1/D), when none ever waits (the asymptotic bounds of
// Denning and Buzen, ACM Computing Surveys 10(3), 1978). Hence below saturation the replay may be
// off the upper bound by N·D/Z at most, and at saturation by Z/(N·D).
#include "tuner/replayed_cluster.h"

#include <gtest/gtest.h>

namespace feedrate {
namespace {

constexpr double kSameTime = 1e-9;
constexpr std::size_t kSteps = 40;

FittedModel making(double seconds, double compute) {
  FittedModel model;
  model.costs.inline_load = model.costs.worker_load = seconds;
  model.costs.compute = compute;
  return model;
}

LoopSettings loop_of_workers(std::size_t count) {
  LoopSettings settings;
  settings.num_workers = count;
  return settings;
}

double alone(const FittedModel& model, const LoopSettings& settings) {
  return replay(model.costs, model.cores, settings, steady_course(settings, kSteps)).step_time;
}

TEST(replay_cluster, of_one_rank_and_no_limits_is_the_replay) {
  FittedModel model = making(0.020, 0.012);
  model.costs.receive = model.costs.dispatch = 0.001;
  model.costs.pin = model.costs.inline_pin = 0.002;
  model.costs.shape = {0.5, 1.0, 1.5};
  for (const double cores : {1.0, 2.0, 64.0}) {
    model.cores.count = cores;
    for (const std::size_t count : {0U, 1U, 2U, 5U}) {
      for (const bool pinned : {false, true}) {
        LoopSettings settings = loop_of_workers(count);
        settings.pin_memory = settings.non_blocking = pinned;
        const ReplayedCluster replayed = replay_cluster(model, settings, {}, {}, kSteps);
        EXPECT_NEAR(replayed.step_time, alone(model, settings), kSameTime)
            << cores << " cores, " << count << " workers";
      }
    }
  }
}

TEST(replay_cluster, ranks_without_limits_do_not_feel_each_other) {
  const FittedModel model = making(0.020, 0.012);
  const ReplayedCluster replayed = replay_cluster(model, loop_of_workers(2), {.bytes = 1e6},
                                                  {.nodes = 4, .ranks_per_node = 8}, kSteps);
  EXPECT_NEAR(replayed.step_time, alone(model, loop_of_workers(2)), kSameTime);
}

// 35 ms to make a batch, 10 round trips of 1 ms before it, 30 ms to train on it.
TEST(replay_cluster, round_trips_are_part_of_making_a_batch) {
  const FittedModel model = making(0.025, 0.030);
  const BatchDemand reads{.round_trips = 10.0};
  const Cluster cluster{.storage_latency = 0.001};
  EXPECT_NEAR(replay_cluster(model, loop_of_workers(0), reads, cluster, kSteps).step_time, 0.065,
              kSameTime);
  EXPECT_NEAR(replay_cluster(model, loop_of_workers(1), reads, cluster, kSteps).step_time, 0.035,
              kSameTime);
  EXPECT_NEAR(replay_cluster(model, loop_of_workers(2), reads, cluster, kSteps).step_time, 0.030,
              kSameTime);
}

// Of 4 nodes with 8 ranks of 2 workers: the bounds for any demand D of a batch.
class Bounds : public ::testing::TestWithParam<double> {
 protected:
  static constexpr double kThink = 0.020;
  static constexpr double kWorkers = 4 * 8 * 2;
  static constexpr double kBatch = 1e6;
  // Each batch takes D of the server alone.
  [[nodiscard]] double demand() const { return GetParam() * kThink / kWorkers; }

  void check(const BatchDemand& reads, const Cluster& cluster) const {
    const double rate =
        32.0 /
        replay_cluster(making(kThink, 0.0), loop_of_workers(2), reads, cluster, kSteps).step_time;
    EXPECT_GE(rate, 0.99 * kWorkers / (kThink + kWorkers * demand()));
    EXPECT_LE(rate, 1.01 * std::min(kWorkers / (kThink + demand()), 1.0 / demand()));
  }
};

TEST_P(Bounds, hold_for_the_bandwidth) {
  check({.bytes = kBatch},
        {.nodes = 4, .ranks_per_node = 8, .storage_bandwidth = kBatch / demand()});
}

TEST_P(Bounds, hold_for_the_metadata_rate) {
  check({.metadata_operations = 64.0},
        {.nodes = 4, .ranks_per_node = 8, .metadata_rate = 64.0 / demand()});
}

INSTANTIATE_TEST_SUITE_P(FromIdleToSaturated, Bounds,
                         ::testing::Values(0.01, 0.1, 0.5, 1.0, 2.0, 10.0, 100.0));

// N·D/Z is 0.02.
TEST(replay_cluster, far_below_saturation_is_within_2_percent_of_the_ranks_alone) {
  const Cluster cluster{.nodes = 8, .ranks_per_node = 8, .storage_bandwidth = 1e9 / 0.02};
  // 128 workers of 1 MB every 128 ms are 1 GB/s.
  const ReplayedCluster replayed =
      replay_cluster(making(0.128, 0.0), loop_of_workers(2), {.bytes = 1e6}, cluster, kSteps);
  EXPECT_NEAR(replayed.step_time, 0.064, 0.0201 * 0.064);
}

// Batches that were made ahead hide what the storage takes, up to where it is nearly saturated.
TEST(replay_cluster, below_saturation_a_gpu_bound_job_stays_so) {
  const FittedModel model = making(0.010, 0.050);
  // 64 ranks want 1 MB each every 50 ms: 1.28 GB/s, of 2.56.
  const Cluster cluster{.nodes = 8, .ranks_per_node = 8, .storage_bandwidth = 2.56e9};
  const ReplayedCluster replayed =
      replay_cluster(model, loop_of_workers(4), {.bytes = 1e6}, cluster, kSteps);
  EXPECT_NEAR(replayed.step_time, 0.050, 0.02 * 0.050);
}

// Z/(N·D) is 0.02.
TEST(replay_cluster, at_saturation_it_reaches_the_bandwidth) {
  const Cluster cluster{.nodes = 8, .ranks_per_node = 8, .storage_bandwidth = 1e9 / 50.0};
  const ReplayedCluster replayed =
      replay_cluster(making(0.128, 0.0), loop_of_workers(2), {.bytes = 1e6}, cluster, kSteps);
  EXPECT_NEAR(64.0 * 1e6 / replayed.step_time, cluster.storage_bandwidth,
              0.02 * cluster.storage_bandwidth);
  EXPECT_LE(replayed.bandwidth, cluster.storage_bandwidth * (1.0 + kSameTime));
}

TEST(replay_cluster, at_saturation_it_reaches_the_links_of_the_nodes) {
  const Cluster cluster{
      .nodes = 4, .ranks_per_node = 2, .storage_bandwidth = 1e9, .node_bandwidth = 1e6};
  // A node's 4 workers compute for 20 ms and want 1 s each of its link.
  const ReplayedCluster replayed =
      replay_cluster(making(0.020, 0.0), loop_of_workers(2), {.bytes = 1e6}, cluster, kSteps);
  EXPECT_NEAR(8.0 * 1e6 / replayed.step_time, 4.0 * cluster.node_bandwidth, 0.02 * 4e6);
}

TEST(replay_cluster, ranks_that_wait_for_each_other_are_never_faster) {
  FittedModel model = making(0.020, 0.018);
  model.costs.shape = {0.2, 0.6, 1.0, 1.4, 1.8};
  Cluster cluster{.nodes = 2, .ranks_per_node = 4};
  const double together = replay_cluster(model, loop_of_workers(1), {}, cluster, kSteps).step_time;
  cluster.barrier = false;
  const double apart = replay_cluster(model, loop_of_workers(1), {}, cluster, kSteps).step_time;
  EXPECT_GT(together, 1.01 * apart);
}

TEST(replay_cluster, the_same_seed_gives_the_same) {
  FittedModel model = making(0.020, 0.018);
  model.costs.shape = {0.5, 1.5};
  const Cluster cluster{.nodes = 3, .ranks_per_node = 2, .storage_bandwidth = 1e8};
  const auto step = [&](std::uint64_t seed) {
    return replay_cluster(model, loop_of_workers(2), {.bytes = 1e6}, cluster, kSteps, seed)
        .step_time;
  };
  EXPECT_DOUBLE_EQ(step(1), step(1));
  EXPECT_NE(step(1), step(2));
}

}  // namespace
}  // namespace feedrate
