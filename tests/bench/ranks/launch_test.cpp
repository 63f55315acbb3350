// SPDX-License-Identifier: Apache-2.0
#include "bench/ranks/launch.h"

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"

namespace feedrate {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Variables = std::map<std::string, std::string>;

Launch launch_in(const Variables& variables) {
  return read_launch(
      [&](const std::string& name) -> std::optional<std::string> {
        const auto found = variables.find(name);
        if (found == variables.end()) return std::nullopt;
        return found->second;
      },
      "host");
}

Variables with(Variables variables, const Variables& more) {
  for (const auto& [name, value] : more) variables[name] = value;
  return variables;
}

std::string problem_in(const Variables& variables) {
  try {
    static_cast<void>(launch_in(variables));
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no problem";
}

// Variables that Slurm 22.05 sets for the tasks of `srun --nodes 2 --ntasks 6`.
const Variables kSlurm{{"SLURM_JOB_ID", "4711"},      {"SLURM_STEP_ID", "2"},
                       {"SLURM_PROCID", "5"},         {"SLURM_STEP_NUM_TASKS", "6"},
                       {"SLURM_NTASKS", "6"},         {"SLURM_LOCALID", "1"},
                       {"SLURM_NODEID", "1"},         {"SLURM_STEP_TASKS_PER_NODE", "4,2"},
                       {"SLURMD_NODENAME", "gpu-008"}};
const Variables kOpenMpi{{"OMPI_COMM_WORLD_RANK", "3"},
                         {"OMPI_COMM_WORLD_SIZE", "4"},
                         {"OMPI_COMM_WORLD_LOCAL_RANK", "3"},
                         {"OMPI_COMM_WORLD_LOCAL_SIZE", "4"},
                         {"PMIX_NAMESPACE", "1174077441"}};
const Variables kTorchrun{{"RANK", "9"},         {"WORLD_SIZE", "16"},
                          {"LOCAL_RANK", "1"},   {"LOCAL_WORLD_SIZE", "8"},
                          {"MASTER_ADDR", "n1"}, {"MASTER_PORT", "29500"}};

TEST(Launch, is_one_rank_without_a_launcher) {
  const Launch launch = launch_in({});
  EXPECT_EQ(launch.launcher, Launcher::none);
  EXPECT_EQ(launch.rank, 0);
  EXPECT_EQ(launch.size, 1);
  EXPECT_EQ(launch.local_size, 1);
  EXPECT_EQ(launch.node, "host");
}

TEST(Launch, by_srun_has_rank_and_node) {
  const Launch launch = launch_in(kSlurm);
  EXPECT_EQ(launch.launcher, Launcher::slurm);
  EXPECT_EQ(launch.rank, 5);
  EXPECT_EQ(launch.size, 6);
  EXPECT_EQ(launch.local_rank, 1);
  EXPECT_EQ(launch.local_size, 2);
  EXPECT_EQ(launch.node, "gpu-008");
  EXPECT_EQ(launch.job, "slurm-4711.2-0");
}

TEST(Launch, that_is_requeued_gets_another_job_name) {
  EXPECT_EQ(launch_in(with(kSlurm, {{"SLURM_RESTART_COUNT", "1"}})).job, "slurm-4711.2-1");
}

TEST(Launch, of_a_batch_script_is_one_rank) {
  Variables batch = kSlurm;
  batch.erase("SLURM_STEP_ID");
  EXPECT_EQ(launch_in(batch).launcher, Launcher::none);
  // These are the steps of salloc's interactive shell, and of a batch script of newer versions.
  for (const char* const step : {"4294967290", "4294967291"}) {
    EXPECT_EQ(launch_in(with(kSlurm, {{"SLURM_STEP_ID", step}})).size, 1) << step;
  }
}

TEST(Launch, by_mpirun_is_recognized) {
  const Launch launch = launch_in(kOpenMpi);
  EXPECT_EQ(launch.launcher, Launcher::open_mpi);
  EXPECT_EQ(launch.rank, 3);
  EXPECT_EQ(launch.local_size, 4);
  EXPECT_EQ(launch.job, "mpirun-1174077441");
}

TEST(Launch, by_mpirun_within_slurm_uses_mpiruns_rank) {
  Variables both = with(kSlurm, kOpenMpi);
  EXPECT_EQ(launch_in(both).launcher, Launcher::open_mpi);
  EXPECT_EQ(launch_in(both).rank, 3);
}

TEST(Launch, by_hydra_is_recognized) {
  const Launch launch = launch_in(
      {{"PMI_RANK", "1"}, {"PMI_SIZE", "2"}, {"MPI_LOCALRANKID", "1"}, {"MPI_LOCALNRANKS", "2"}});
  EXPECT_EQ(launch.launcher, Launcher::hydra);
  EXPECT_EQ(launch.rank, 1);
  EXPECT_EQ(launch.local_rank, 1);
}

TEST(Launch, by_pmi_alone_lacks_the_node) {
  EXPECT_THAT(problem_in({{"PMI_RANK", "1"}, {"PMI_SIZE", "2"}}),
              AllOf(HasSubstr("PMI_RANK=1"), HasSubstr("LOCAL_WORLD_SIZE")));
  EXPECT_EQ(launch_in({{"PMI_RANK", "0"}, {"PMI_SIZE", "1"}}).size, 1);
}

TEST(Launch, by_torchrun_is_named_by_its_port_and_run_id) {
  const Launch by_hand = launch_in(kTorchrun);
  EXPECT_EQ(by_hand.launcher, Launcher::torchrun);
  EXPECT_EQ(by_hand.rank, 9);
  EXPECT_EQ(by_hand.local_size, 8);
  EXPECT_EQ(by_hand.job, "torchrun-n1-29500--");
  const Launch by_agent = launch_in(with(kTorchrun, {{"TORCHELASTIC_RUN_ID", "none/.."}}));
  EXPECT_EQ(by_agent.job, "torchrun-n1-29500-none_..-");
}

TEST(Launch, by_torchrun_within_a_task_of_srun_uses_torchruns_rank) {
  const Variables both =
      with(with(kSlurm, kTorchrun), {{"TORCHELASTIC_RUN_ID", "1"}, {"SLURM_PROCID", "1"}});
  EXPECT_EQ(launch_in(both).rank, 9);
}

TEST(Launch, by_feedrate_is_the_innermost) {
  const Launch launch = launch_in(with(kTorchrun, {{"FEEDRATE_RANK", "1"},
                                                   {"FEEDRATE_RANKS", "2"},
                                                   {"FEEDRATE_LOCAL_RANK", "1"},
                                                   {"FEEDRATE_LOCAL_RANKS", "2"},
                                                   {"FEEDRATE_RANK_SOCKETS", "5 12"}}));
  EXPECT_EQ(launch.launcher, Launcher::own);
  EXPECT_EQ(launch.rank, 1);
  EXPECT_THAT(launch.sockets, ElementsAre(5, 12));
}

TEST(Launch, ignores_world_size_alone_which_batch_scripts_export) {
  EXPECT_EQ(launch_in({{"WORLD_SIZE", "8"}, {"MASTER_ADDR", "n1"}}).size, 1);
}

TEST(Launch, reports_variables_that_contradict_each_other) {
  EXPECT_THAT(problem_in(with(kSlurm, with(kTorchrun, {{"RANK", "1"}, {"WORLD_SIZE", "6"}}))),
              AllOf(HasSubstr("RANK=1"), HasSubstr("SLURM_PROCID=5"), HasSubstr("contradict")));
  EXPECT_THAT(problem_in(with(kOpenMpi, {{"RANK", "3"}, {"WORLD_SIZE", "8"}})),
              AllOf(HasSubstr("WORLD_SIZE=8"), HasSubstr("OMPI_COMM_WORLD_SIZE=4")));
  EXPECT_THAT(problem_in(with(kSlurm, {{"PMI_RANK", "4"}, {"PMI_SIZE", "6"}})),
              AllOf(HasSubstr("PMI_RANK=4"), HasSubstr("SLURM_PROCID=5")));
}

TEST(Launch, reports_variables_that_are_missing_or_not_numbers) {
  Variables half = kOpenMpi;
  half.erase("OMPI_COMM_WORLD_SIZE");
  EXPECT_THAT(problem_in(half), HasSubstr("OMPI_COMM_WORLD_SIZE: is not set"));
  EXPECT_THAT(problem_in(with(kTorchrun, {{"RANK", "x"}})), HasSubstr("RANK=x: must be a number"));
  EXPECT_THAT(problem_in(with(kTorchrun, {{"RANK", "16"}})),
              AllOf(HasSubstr("RANK=16"), HasSubstr("WORLD_SIZE, which is 16")));
  EXPECT_THAT(problem_in(with(kTorchrun, {{"LOCAL_RANK", "8"}})), HasSubstr("LOCAL_RANK=8"));
  EXPECT_THAT(problem_in(with(kTorchrun, {{"LOCAL_WORLD_SIZE", "17"}})),
              HasSubstr("LOCAL_WORLD_SIZE: says that 17"));
  EXPECT_THAT(problem_in({{"FEEDRATE_RANK", "0"},
                          {"FEEDRATE_RANKS", "2"},
                          {"FEEDRATE_LOCAL_RANK", "0"},
                          {"FEEDRATE_LOCAL_RANKS", "2"},
                          {"FEEDRATE_RANK_SOCKETS", "5,12"}}),
              HasSubstr("FEEDRATE_RANK_SOCKETS=5,12: must be numbers"));
  EXPECT_THAT(problem_in(with(kSlurm, {{"SLURM_STEP_TASKS_PER_NODE", "4"}})),
              HasSubstr("SLURM_STEP_TASKS_PER_NODE=4"));
}

}  // namespace
}  // namespace feedrate
