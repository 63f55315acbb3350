// SPDX-License-Identifier: Apache-2.0
#include "core/host/slurm.h"

#include <map>

#include <gtest/gtest.h>

namespace feedrate {
namespace {

EnvironmentLookup lookup_in(std::map<std::string, std::string> variables) {
  return [variables = std::move(variables)](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    if (found == variables.end()) return std::nullopt;
    return found->second;
  };
}

TEST(SlurmJobId, is_empty_outside_slurm) { EXPECT_EQ(slurm_job_id(lookup_in({})), ""); }

TEST(SlurmJobId, is_the_jobs) {
  EXPECT_EQ(slurm_job_id(lookup_in({{"SLURM_JOB_ID", "4711"}, {"SLURM_JOBID", "1"}})), "4711");
  EXPECT_EQ(slurm_job_id(lookup_in({{"SLURM_JOBID", "4711"}})), "4711");
}

TEST(SlurmJobId, of_an_array_is_written_as_squeue_does) {
  EXPECT_EQ(slurm_job_id(lookup_in({{"SLURM_JOB_ID", "4714"},
                                    {"SLURM_ARRAY_JOB_ID", "4711"},
                                    {"SLURM_ARRAY_TASK_ID", "3"}})),
            "4711_3");
}

TEST(BatchJobId, is_slurms_or_of_pbs_or_of_lsf) {
  EXPECT_EQ(batch_job_id(lookup_in({})), "");
  EXPECT_EQ(batch_job_id(lookup_in({{"SLURM_JOB_ID", "4711"}, {"PBS_JOBID", "1"}})), "4711");
  EXPECT_EQ(batch_job_id(lookup_in({{"PBS_JOBID", "12.server"}})), "12.server");
  EXPECT_EQ(batch_job_id(lookup_in({{"LSB_JOBID", "13"}})), "13");
}

TEST(NodeName, is_slurms_or_the_hosts) {
  EXPECT_EQ(node_name(lookup_in({{"SLURMD_NODENAME", "n7"}})), "n7");
  EXPECT_NE(node_name(lookup_in({})), "");
}

TEST(SlurmTasksOfNode, are_found_by_the_index_of_the_node) {
  EXPECT_EQ(slurm_tasks_of_node("4(x2),3", 0), 4);
  EXPECT_EQ(slurm_tasks_of_node("4(x2),3", 1), 4);
  EXPECT_EQ(slurm_tasks_of_node("4(x2),3", 2), 3);
  EXPECT_EQ(slurm_tasks_of_node("4(x2),3", 3), std::nullopt);
  EXPECT_EQ(slurm_tasks_of_node("", 0), std::nullopt);
  EXPECT_EQ(slurm_tasks_of_node("many", 0), std::nullopt);
}

TEST(CpusOfPartition, are_those_of_its_smallest_node) {
  const std::string sinfo = "cpu* 128\ngpu 64+\ngpu 48\ngpu-long 32\nodd n/a\n";
  EXPECT_EQ(cpus_of_partition(sinfo, "gpu"), 48);
  EXPECT_EQ(cpus_of_partition(sinfo, ""), 128);
  EXPECT_EQ(cpus_of_partition(sinfo, "cpu"), 128);
  EXPECT_EQ(cpus_of_partition(sinfo, "odd"), std::nullopt);
  EXPECT_EQ(cpus_of_partition(sinfo, "none"), std::nullopt);
  EXPECT_EQ(cpus_of_partition("", ""), std::nullopt);
}

TEST(EnvironmentVariable, is_nothing_where_not_set) {
  EXPECT_EQ(environment_variable("FEEDRATE_NO_SUCH_VARIABLE"), std::nullopt);
  EXPECT_NE(environment_variable("PATH"), std::nullopt);
}

NodeRanks ranks_in(std::map<std::string, std::string> variables) {
  return ranks_on_node(lookup_in(std::move(variables)));
}

TEST(RanksOnNode, are_one_where_nothing_tells) {
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

TEST(RanksOnNode, are_one_where_the_number_makes_no_sense) {
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
