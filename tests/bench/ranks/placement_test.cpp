// SPDX-License-Identifier: Apache-2.0
#include "bench/ranks/placement.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"

namespace feedrate {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// The machine has two sockets of 16 cores with two threads each, and four GPUs at each socket:
// cores 0-15 with threads 32-47 are node 0's.
NodeLayout two_sockets() {
  NodeLayout layout;
  for (int core = 0; core < 32; ++core) {
    layout.cores.push_back({.cpus = {core, core + 32}, .node = core / 16});
  }
  // The bus order differs from the order of the nodes, as on such machines.
  for (const int node : {1, 1, 0, 0, 1, 1, 0, 0}) {
    layout.gpus.push_back({.bus_id = "0000:00:00.0", .node = node});
  }
  return layout;
}

std::vector<CpuList> all_of(const NodeLayout& layout, std::size_t ranks) {
  CpuList cpus;
  for (const PhysicalCore& core : layout.cores) {
    cpus.insert(cpus.end(), core.cpus.begin(), core.cpus.end());
  }
  std::sort(cpus.begin(), cpus.end());
  return std::vector<CpuList>(ranks, cpus);
}

std::vector<std::string> lists_of(const std::vector<RankPlacement>& placements) {
  std::vector<std::string> lists;
  for (const RankPlacement& placement : placements)
    lists.push_back(format_cpu_list(placement.cpus));
  return lists;
}

TEST(PlaceRanks, none_keeps_the_given_cpus) {
  const NodeLayout layout = two_sockets();
  const auto placements = place_ranks(layout, all_of(layout, 2), Affinity::none);
  EXPECT_THAT(lists_of(placements), ElementsAre("0-63", "0-63"));
  EXPECT_THAT(placements[0].nodes, ElementsAre(0, 1));
  EXPECT_EQ(placements[0].cores, 32);
}

TEST(PlaceRanks, cores_are_divided_with_their_threads) {
  const NodeLayout layout = two_sockets();
  const auto placements = place_ranks(layout, all_of(layout, 8), Affinity::cores);
  EXPECT_EQ(lists_of(placements)[0], "0-3,32-35");
  EXPECT_EQ(lists_of(placements)[7], "28-31,60-63");
  EXPECT_EQ(placements[7].cores, 4);
  EXPECT_THAT(placements[7].nodes, ElementsAre(1));
}

TEST(PlaceRanks, numa_gives_each_its_share_of_the_cores_near_its_gpu) {
  const NodeLayout layout = two_sockets();
  const auto placements = place_ranks(layout, all_of(layout, 8), Affinity::numa);
  EXPECT_THAT(lists_of(placements),
              ElementsAre("16-19,48-51", "20-23,52-55", "0-3,32-35", "4-7,36-39", "24-27,56-59",
                          "28-31,60-63", "8-11,40-43", "12-15,44-47"));
  for (const RankPlacement& placement : placements) {
    EXPECT_THAT(placement.nodes, ElementsAre(*placement.gpu_node));
    EXPECT_EQ(placement.note, "");
  }
}

TEST(PlaceRanks, numa_without_gpus_takes_nodes_in_blocks) {
  NodeLayout layout = two_sockets();
  layout.gpus.clear();
  const auto placements = place_ranks(layout, all_of(layout, 4), Affinity::numa);
  EXPECT_THAT(lists_of(placements),
              ElementsAre("0-7,32-39", "8-15,40-47", "16-23,48-55", "24-31,56-63"));
  EXPECT_EQ(placements[0].gpu_node, std::nullopt);
}

TEST(PlaceRanks, use_only_allowed_cpus) {
  const NodeLayout layout = two_sockets();
  const std::vector<CpuList> four(2, CpuList{14, 15, 16, 17});
  EXPECT_THAT(lists_of(place_ranks(layout, four, Affinity::cores)), ElementsAre("14-15", "16-17"));
  // GPUs 0 and 1 are at node 1, which has two of the four.
  EXPECT_THAT(lists_of(place_ranks(layout, four, Affinity::numa)), ElementsAre("16", "17"));
  const std::vector<CpuList> far(2, CpuList{0, 1});
  const auto placements = place_ranks(layout, far, Affinity::numa);
  EXPECT_THAT(lists_of(placements), ElementsAre("0", "1"));
  EXPECT_THAT(placements[0].note, HasSubstr("NUMA node 1"));
}

TEST(PlaceRanks, keep_cpus_that_the_launcher_has_divided) {
  const NodeLayout layout = two_sockets();
  const std::vector<CpuList> bound{{0, 1, 16, 17}, {2, 3, 18, 19}};
  EXPECT_THAT(lists_of(place_ranks(layout, bound, Affinity::cores)),
              ElementsAre("0-1,16-17", "2-3,18-19"));
  EXPECT_THAT(lists_of(place_ranks(layout, bound, Affinity::numa)), ElementsAre("16-17", "18-19"));
  const auto overlapping = place_ranks(layout, {{0, 1}, {1, 2}}, Affinity::cores);
  EXPECT_THAT(overlapping[0].note, HasSubstr("rank 1"));
}

TEST(PlaceRanks, share_cores_and_then_cpus_if_there_are_too_few) {
  const NodeLayout layout = two_sockets();
  const auto threads = place_ranks(layout, {{0, 32}, {0, 32}}, Affinity::cores);
  EXPECT_THAT(lists_of(threads), ElementsAre("0", "32"));
  EXPECT_THAT(threads[0].note, HasSubstr("shares a core"));
  const auto one = place_ranks(layout, {{0}, {0}, {0}}, Affinity::cores);
  EXPECT_THAT(lists_of(one), ElementsAre("0", "0", "0"));
  EXPECT_THAT(one[2].note, HasSubstr("shares a CPU"));
}

TEST(PlaceRanks, assign_every_core_once) {
  const NodeLayout layout = two_sockets();
  for (const std::size_t ranks : {1U, 3U, 5U, 7U, 32U}) {
    CpuList all;
    for (const RankPlacement& placement :
         place_ranks(layout, all_of(layout, ranks), Affinity::cores)) {
      all.insert(all.end(), placement.cpus.begin(), placement.cpus.end());
    }
    std::sort(all.begin(), all.end());
    EXPECT_EQ(format_cpu_list(all), "0-63") << ranks;
  }
}

TEST(PlaceRanks, accept_cpus_that_belong_to_no_core) {
  const auto placements = place_ranks({}, {{0, 1}, {0, 1}}, Affinity::numa);
  EXPECT_THAT(lists_of(placements), ElementsAre("0", "1"));
}

TEST(Affinities, are_parsed_by_name) {
  EXPECT_EQ(parse_affinity("numa"), Affinity::numa);
  EXPECT_EQ(to_string(Affinity::cores), "cores");
  EXPECT_THROW(static_cast<void>(parse_affinity("socket")), ConfigError);
}

}  // namespace
}  // namespace feedrate
