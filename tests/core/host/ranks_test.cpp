// SPDX-License-Identifier: Apache-2.0
#include "core/host/ranks.h"

#include <map>

#include <gtest/gtest.h>

namespace feedrate {
namespace {

NodeRanks ranks_in(const std::map<std::string, std::string>& variables) {
  return ranks_on_node([&](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    if (found == variables.end()) return std::nullopt;
    return found->second;
  });
}

TEST(RanksOnNode, are_one_by_default) {
  EXPECT_EQ(ranks_in({}).count, 1);
  EXPECT_FALSE(ranks_in({}).share_affinity);
}

TEST(RanksOnNode, of_torchrun_share_their_cpus) {
  const NodeRanks ranks = ranks_in({{"LOCAL_WORLD_SIZE", "8"}, {"SLURM_NTASKS_PER_NODE", "1"}});
  EXPECT_EQ(ranks.count, 8);
  EXPECT_TRUE(ranks.share_affinity);
}

TEST(RanksOnNode, of_mpirun_have_cpus_of_their_own) {
  const NodeRanks ranks = ranks_in({{"OMPI_COMM_WORLD_LOCAL_SIZE", "4"}});
  EXPECT_EQ(ranks.count, 4);
  EXPECT_FALSE(ranks.share_affinity);
}

TEST(RanksOnNode, of_srun_are_those_of_this_node) {
  const std::string list = "4(x2),3";
  EXPECT_EQ(ranks_in({{"SLURM_STEP_TASKS_PER_NODE", list}}).count, 4);
  EXPECT_EQ(ranks_in({{"SLURM_STEP_TASKS_PER_NODE", list}, {"SLURM_NODEID", "1"}}).count, 4);
  EXPECT_EQ(ranks_in({{"SLURM_STEP_TASKS_PER_NODE", list}, {"SLURM_NODEID", "2"}}).count, 3);
  EXPECT_FALSE(ranks_in({{"SLURM_STEP_TASKS_PER_NODE", list}}).share_affinity);
}

TEST(RanksOnNode, of_a_batch_script_share_the_cpus_of_its_job) {
  const NodeRanks ranks = ranks_in({{"SLURM_NTASKS_PER_NODE", "8"}});
  EXPECT_EQ(ranks.count, 8);
  EXPECT_TRUE(ranks.share_affinity);
}

TEST(RanksOnNode, are_one_if_the_number_is_invalid) {
  for (const char* const text : {"", "0", "-2", "many", "99999999999999999999", "4x"}) {
    EXPECT_EQ(ranks_in({{"LOCAL_WORLD_SIZE", text}}).count, 1) << text;
  }
  for (const char* const list : {"", "(x", "(x2)", "0(x2)", ",,", "4(x0)"}) {
    EXPECT_EQ(ranks_in({{"SLURM_STEP_TASKS_PER_NODE", list}}).count, 1) << list;
  }
  EXPECT_EQ(ranks_in({{"SLURM_STEP_TASKS_PER_NODE", "2"}, {"SLURM_NODEID", "7"}}).count, 1);
}

}  // namespace
}  // namespace feedrate
