// SPDX-License-Identifier: Apache-2.0
#include "bench/ranks/launch.h"

#include <map>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "tests/support/message_of.h"

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
  return testing::message_of<ConfigError>([&] { return launch_in(variables); });
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

const Variables kOwn{{"FEEDRATE_RANK", "1"},
                     {"FEEDRATE_RANKS", "2"},
                     {"FEEDRATE_LOCAL_RANK", "1"},
                     {"FEEDRATE_LOCAL_RANKS", "2"},
                     {"FEEDRATE_RANK_SOCKETS", "5 12"}};

struct LaunchCase {
  Variables variables;
  const char* launch;  ///< all of it but the sockets
};

TEST(Launch, is_read_from_the_variables_of_the_innermost_launcher) {
  Variables batch = kSlurm;
  batch.erase("SLURM_STEP_ID");
  for (const auto& [variables, text] : std::vector<LaunchCase>{
           {{}, "no launcher: 0 of 1, 0 of 1 on host, job "},
           {kSlurm, "srun: 5 of 6, 1 of 2 on gpu-008, job slurm-4711.2-0"},
           // A job that is requeued.
           {with(kSlurm, {{"SLURM_RESTART_COUNT", "1"}}),
            "srun: 5 of 6, 1 of 2 on gpu-008, job slurm-4711.2-1"},
           // The steps of salloc's interactive shell, and of a batch script of newer versions.
           {batch, "no launcher: 0 of 1, 0 of 1 on gpu-008, job slurm-4711.batch-0"},
           {with(kSlurm, {{"SLURM_STEP_ID", "4294967290"}}),
            "no launcher: 0 of 1, 0 of 1 on gpu-008, job slurm-4711.4294967290-0"},
           {with(kSlurm, {{"SLURM_STEP_ID", "4294967291"}}),
            "no launcher: 0 of 1, 0 of 1 on gpu-008, job slurm-4711.4294967291-0"},
           {kOpenMpi, "mpirun (Open MPI): 3 of 4, 3 of 4 on host, job mpirun-1174077441"},
           {with(kSlurm, kOpenMpi),
            "mpirun (Open MPI): 3 of 4, 3 of 4 on gpu-008, job mpirun-1174077441"},
           {{{"PMI_RANK", "1"},
             {"PMI_SIZE", "2"},
             {"MPI_LOCALRANKID", "1"},
             {"MPI_LOCALNRANKS", "2"}},
            "mpiexec (Hydra): 1 of 2, 1 of 2 on host, job "},
           {{{"PMI_RANK", "0"}, {"PMI_SIZE", "1"}}, "PMI: 0 of 1, 0 of 1 on host, job "},
           {kTorchrun, "torchrun: 9 of 16, 1 of 8 on host, job torchrun-n1-29500--"},
           {with(kTorchrun, {{"TORCHELASTIC_RUN_ID", "none/.."}}),
            "torchrun: 9 of 16, 1 of 8 on host, job torchrun-n1-29500-none_..-"},
           {with(with(kSlurm, kTorchrun), {{"TORCHELASTIC_RUN_ID", "1"}, {"SLURM_PROCID", "1"}}),
            "torchrun: 9 of 16, 1 of 8 on gpu-008, job torchrun-n1-29500-1-"},
           {with(kTorchrun, kOwn), "feedrate: 1 of 2, 1 of 2 on host, job "},
           // Batch scripts export WORLD_SIZE alone.
           {{{"WORLD_SIZE", "8"}, {"MASTER_ADDR", "n1"}},
            "no launcher: 0 of 1, 0 of 1 on host, job "}}) {
    const Launch launch = launch_in(variables);
    EXPECT_EQ(
        fmt::format("{}: {} of {}, {} of {} on {}, job {}", to_string(launch.launcher), launch.rank,
                    launch.size, launch.local_rank, launch.local_size, launch.node, launch.job),
        text);
  }
  EXPECT_THAT(launch_in(kOwn).sockets, ElementsAre(5, 12));
}

TEST(Launch, by_pmi_alone_lacks_the_node) {
  EXPECT_THAT(problem_in({{"PMI_RANK", "1"}, {"PMI_SIZE", "2"}}),
              AllOf(HasSubstr("PMI_RANK=1"), HasSubstr("LOCAL_WORLD_SIZE")));
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
  EXPECT_THAT(problem_in(with(kOwn, {{"FEEDRATE_RANK_SOCKETS", "5,12"}})),
              HasSubstr("FEEDRATE_RANK_SOCKETS=5,12: must be numbers"));
  EXPECT_THAT(problem_in(with(kSlurm, {{"SLURM_STEP_TASKS_PER_NODE", "4"}})),
              HasSubstr("SLURM_STEP_TASKS_PER_NODE=4"));
}

}  // namespace
}  // namespace feedrate
