// SPDX-License-Identifier: Apache-2.0
// Tests ranks as threads of this process; spawn_test.cpp tests them as processes.

#include <atomic>
#include <chrono>
#include <exception>
#include <filesystem>
#include <functional>
#include <latch>
#include <optional>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "bench/ranks/join.h"
#include "bench/ranks/meeting.h"
#include "core/error.h"
#include "tests/support/message_of.h"
#include "tests/support/temp_folder.h"

namespace feedrate {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::message_of;
using testing::TempFolder;

constexpr int kRanks = 4;

Launch launch_of(int rank, int size = kRanks) {
  Launch launch;
  launch.launcher = Launcher::torchrun;
  launch.rank = launch.local_rank = rank;
  launch.size = launch.local_size = size;
  launch.node = "node" + std::to_string(rank);
  launch.job = "test";
  return launch;
}

Launch launch_on_two_nodes(int rank, int size) {
  Launch launch = launch_of(rank, size);
  launch.local_rank = rank % 2;
  launch.local_size = 2;
  launch.node = "node" + std::to_string(rank / 2);
  return launch;
}

using Action = std::function<void(RankGroup&)>;

/// Runs a thread per launch; returns what the error of each says, empty on success.
std::vector<std::string> problems_of(const std::vector<Launch>& launches, const Action& action,
                                     const TempFolder& folder = TempFolder()) {
  std::vector<std::string> problems(launches.size());
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < launches.size(); ++i) {
    threads.emplace_back([&, i] {
      problems[i] = message_of<std::exception>(
          [&] { action(*join_local_group(launches[i], {.folder = folder.path()}, {})); });
    });
  }
  threads.clear();
  return problems;
}

std::vector<std::string> run_threads(int size, const Action& action,
                                     Launch (*launch)(int rank, int size) = launch_of) {
  std::vector<Launch> launches;
  for (int rank = 0; rank < size; ++rank) launches.push_back(launch(rank, size));
  return problems_of(launches, action);
}

void barrier(RankGroup& group) { group.barrier(); }

void expect_well(const std::vector<std::string>& problems) {
  EXPECT_THAT(problems, Each(IsEmpty()));
}

TEST(LocalGroup, knows_the_location_of_each_rank) {
  expect_well(run_threads(kRanks, [](RankGroup& group) {
    ASSERT_EQ(group.locations().size(), 4U);
    EXPECT_EQ(group.size(), kRanks);
    EXPECT_EQ(group.locations()[2].node, "node2");
    EXPECT_EQ(group.locations()[2].local_rank, 2);
    EXPECT_EQ(group.data_path(), "shared memory");
  }));
}

TEST(LocalGroup, gathers_texts_of_any_length) {
  expect_well(run_threads(kRanks, [](RankGroup& group) {
    const auto letter = static_cast<char>('a' + group.rank());
    const std::string own(static_cast<std::size_t>(group.rank()) * 1'000'000, letter);
    const auto all = group.all_gather(own);
    ASSERT_EQ(all.size(), 4U);
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
      EXPECT_EQ(all[rank].size(), rank * 1'000'000);
      EXPECT_EQ(all[rank].find_first_not_of(static_cast<char>('a' + rank)), std::string::npos);
    }
    const auto texts = group.gather(std::to_string(group.rank()));
    if (group.rank() == 0) {
      EXPECT_THAT(texts, ElementsAre("0", "1", "2", "3"));
    } else {
      EXPECT_THAT(texts, IsEmpty());
    }
    EXPECT_EQ(group.broadcast(std::to_string(group.rank()), 2), "2");
  }));
}

TEST(LocalGroup, gathers_the_texts_of_the_ranks_of_a_node) {
  const Action ask = [](RankGroup& group) {
    const auto texts = gather_on_node(group, std::to_string(group.rank()));
    if (group.rank() < 2) {
      EXPECT_THAT(texts, ElementsAre("0", "1"));
    } else {
      EXPECT_THAT(texts, ElementsAre("2", "3"));
    }
  };
  expect_well(run_threads(4, ask, launch_on_two_nodes));
}

TEST(LocalGroup, agrees_only_if_all_do) {
  expect_well(run_threads(kRanks, [](RankGroup& group) {
    EXPECT_TRUE(group.agree(true));
    EXPECT_FALSE(group.agree(group.rank() != 3));
    EXPECT_TRUE(group.agree(true));
  }));
}

TEST(LocalGroup, barrier_waits_for_all) {
  std::atomic<int> arrived = 0;
  expect_well(run_threads(kRanks, [&](RankGroup& group) {
    for (int round = 1; round <= 50; ++round) {
      ++arrived;
      group.barrier();
      EXPECT_GE(arrived, round * kRanks);
      group.barrier();
    }
  }));
}

TEST(LocalGroup, sums_numbers_of_all_ranks) {
  for (const int size : {2, 3, 4}) {
    for (const std::size_t count : {0U, 1U, 2U, 3U, 5U, 2'300'001U}) {
      expect_well(run_threads(size, [&](RankGroup& group) {
        std::vector<float> values(count);
        for (std::size_t i = 0; i < count; ++i) {
          values[i] = static_cast<float>(i % 1000) + static_cast<float>(group.rank());
        }
        group.all_reduce(values);
        group.all_reduce(values);
        const int ranks = size * (size - 1) / 2;
        for (std::size_t i = 0; i < count; ++i) {
          const auto once = static_cast<float>(static_cast<int>(i % 1000) * size + ranks);
          ASSERT_EQ(values[i], once * static_cast<float>(size)) << i;
        }
      }));
    }
  }
}

TEST(LocalGroup, reports_different_calls) {
  const auto problems = run_threads(2, [](RankGroup& group) {
    if (group.rank() == 0) {
      group.barrier();
    } else {
      static_cast<void>(group.all_gather(""));
    }
  });
  for (const std::string& problem : problems) {
    EXPECT_THAT(problem, HasSubstr("barrier()"));
    EXPECT_THAT(problem, HasSubstr("all_gather()"));
  }
}

TEST(LocalGroup, reports_sums_of_different_sizes) {
  const auto problems = run_threads(2, [](RankGroup& group) {
    std::vector<float> values(static_cast<std::size_t>(3 + group.rank()));
    group.all_reduce(values);
  });
  EXPECT_THAT(problems[0] + problems[1], HasSubstr("must call the same"));
}

TEST(LocalGroup, reports_the_rank_that_has_left_and_its_reason) {
  for (const int leaver : {0, 2}) {
    const auto problems = run_threads(kRanks, [&](RankGroup& group) {
      group.barrier();
      if (group.rank() == leaver) {
        group.leave("its cell failed");
        EXPECT_THROW(group.barrier(), Error);
      } else {
        group.barrier();
      }
    });
    for (std::size_t rank = 0; rank < 4; ++rank) {
      if (static_cast<int>(rank) == leaver) continue;
      EXPECT_THAT(
          problems[rank],
          HasSubstr(fmt::format("rank {0} on node node{0}: has left: its cell failed", leaver)));
    }
  }
}

TEST(LocalGroup, a_rank_may_leave_when_no_collective_needs_it) {
  expect_well(run_threads(kRanks, [](RankGroup& group) {
    group.barrier();
    if (group.rank() == 1) return;
    group.check();
  }));
}

TEST(LocalGroup, ends_a_reduction_when_a_rank_leaves) {
  const auto problems = run_threads(3, [](RankGroup& group) {
    std::vector<float> values(10);
    group.all_reduce(values);
    if (group.rank() == 1) return group.leave("its cell failed");
    group.all_reduce(values);
  });
  EXPECT_THAT(problems[0], HasSubstr("rank 1"));
  EXPECT_THAT(problems[2], HasSubstr("rank 1"));
}

// In some rounds, rank 0's leave message and rank 1's input cross; rank 1 must fail nevertheless.
TEST(LocalGroup, a_waiting_collective_can_be_cancelled) {
  constexpr int kRounds = 20;
  for (int round = 0; round < kRounds; ++round) {
    std::latch cancelled(1);
    const auto problems = run_threads(2, [&](RankGroup& group) {
      if (group.rank() == 0) {
        std::stop_source stop;
        const std::jthread stopper([&] { stop.request_stop(); });
        EXPECT_THROW(group.barrier(stop.get_token()), Cancelled);
        group.leave("cancelled");
        return cancelled.count_down();
      }
      cancelled.wait();
      group.barrier();
    });
    EXPECT_THAT(problems[1], HasSubstr("cancelled"));
  }
}

// --- Joining ------------------------------------------------------------------------------------

TEST(JoinLocalGroup, can_be_cancelled) {
  const TempFolder folder;
  std::stop_source stop;
  stop.request_stop();
  for (const int rank : {0, 1}) {
    EXPECT_THROW(static_cast<void>(join_local_group(launch_of(rank), {.folder = folder.path()},
                                                    stop.get_token())),
                 Cancelled);
  }
}

LocalGroupOptions within_a_second(const TempFolder& folder) {
  return {.folder = folder.path(), .join_limit = std::chrono::seconds(1)};
}

std::string problem_of(const Launch& launch, const LocalGroupOptions& options) {
  return message_of([&] { return join_local_group(launch, options, {}); });
}

TEST(JoinLocalGroup, reports_the_ranks_that_do_not_join) {
  const TempFolder folder;
  EXPECT_THAT(problem_of(launch_of(0), within_a_second(folder)),
              HasSubstr("rank 1, 2, 3 did not join within 1 s"));
  EXPECT_THAT(
      problem_of(launch_of(1), within_a_second(folder)),
      AllOf(HasSubstr("rank 1 did not find rank 0 there within 1 s"), HasSubstr("No such file")));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path())) << "rank 0 leaves no file";
}

TEST(JoinLocalGroup, replaces_the_file_of_an_earlier_start) {
  const TempFolder folder;
  ASSERT_NE(problem_of(launch_of(0), within_a_second(folder)), "");
  for (int start = 0; start < 2; ++start) {
    expect_well(problems_of({launch_of(0, 2), launch_of(1, 2)}, barrier, folder));
  }
}

TEST(JoinLocalGroup, reports_two_processes_with_the_same_rank_and_ranks_with_different_sizes) {
  EXPECT_THAT(problems_of({launch_of(0, 3), launch_of(1, 3), launch_of(1, 3)}, barrier),
              Each(HasSubstr("they are rank 1")));
  EXPECT_THAT(problems_of({launch_of(0, 2), launch_of(1, 3)}, barrier),
              Each(HasSubstr("rank 1 was started as one of 3, rank 0 as one of 2")));
}

TEST(JoinLocalGroup, refuses_a_folder_that_other_users_can_access) {
  const TempFolder folder;
  std::filesystem::permissions(folder.path(), std::filesystem::perms::group_read,
                               std::filesystem::perm_options::add);
  for (const int rank : {0, 1}) {
    EXPECT_THAT(problem_of(launch_of(rank), within_a_second(folder)),
                HasSubstr("only you can use"));
  }
  std::filesystem::create_directory_symlink(folder.path(), folder / "link");
  EXPECT_THAT(problem_of(launch_of(0), {.folder = folder / "link"}), HasSubstr("only you can use"));
}

TEST(MeetingFolder, is_in_the_runtime_folder_if_there_is_one) {
  const TempFolder folder;
  const auto meeting_folder_in = [](const std::string& runtime) {
    return meeting_folder([&](const std::string&) { return std::optional(runtime); });
  };
  EXPECT_EQ(meeting_folder_in(folder.path()).parent_path(), folder.path());
  EXPECT_EQ(meeting_folder_in("/run/user/none").parent_path(), "/tmp");
  EXPECT_EQ(meeting_folder_in("").parent_path(), "/tmp");
}

// These tests read no environment; tests/launchers tests mpirun's ranks where MPI is installed.
TEST(JoinGroup, of_one_rank_needs_no_connection) {
  const auto group = join_group(launch_of(0, 1));
  group->barrier();
  std::vector<float> values{1, 2};
  group->all_reduce(values);
  EXPECT_THAT(values, ElementsAre(1, 2));
  EXPECT_THAT(group->all_gather("x"), ElementsAre("x"));
}

TEST(JoinGroup, of_several_nodes_without_mpi_reports_the_remedy) {
  EXPECT_THAT(message_of<ConfigError>([] { return join_group(launch_on_two_nodes(0, 4)); }),
              AllOf(HasSubstr("several nodes need MPI"), HasSubstr("torchrun"),
                    HasSubstr("--mpi=pmix"), HasSubstr("--shard")));
}

TEST(JoinGroup, without_a_job_name_is_refused) {
  Launch launch = launch_of(0);
  launch.job.clear();
  EXPECT_THROW(static_cast<void>(join_group(launch)), ConfigError);
}

TEST(JoinGroup, with_invalid_sockets_names_the_variable) {
  Launch launch = launch_of(1);
  launch.launcher = Launcher::own;
  launch.sockets = {STDIN_FILENO};
  EXPECT_THAT(message_of<ConfigError>([&] { return join_group(launch); }),
              HasSubstr("FEEDRATE_RANK_SOCKETS"));
}

}  // namespace
}  // namespace feedrate
