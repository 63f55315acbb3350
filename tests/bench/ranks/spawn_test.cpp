// SPDX-License-Identifier: Apache-2.0
#include "bench/ranks/spawn.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/error.h"
#include "tests/support/temp_folder.h"

namespace feedrate {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::read_file;
using ::testing::StartsWith;
using testing::TempFolder;

SpawnOptions peer(const std::string& mode, const TempFolder& folder, int victim = -1) {
  SpawnOptions options;
  options.program = RANK_PEER;
  options.arguments = {mode, folder.path().string(), std::to_string(victim)};
  return options;
}

std::string report_of(const TempFolder& folder, int rank) {
  return read_file(folder / (std::to_string(rank) + ".txt"));
}

std::vector<int> codes_of(const std::vector<RankExit>& exits) {
  std::vector<int> codes;
  for (const RankExit& exit : exits) codes.push_back(exit.code);
  return codes;
}

TEST(RunRanks, starts_ranks_that_join) {
  const TempFolder folder;
  const auto exits = run_ranks(3, peer("meet", folder));
  EXPECT_THAT(codes_of(exits), ElementsAre(0, 0, 0)) << report_of(folder, 0);
  EXPECT_EQ(describe_failure(exits), "");
  EXPECT_EQ(report_of(folder, 2), "rank 2 of 3 by shared memory");
}

TEST(RunRanks, gives_each_rank_its_variables) {
  const TempFolder folder;
  SpawnOptions options;
  options.program = "/bin/sh";
  options.arguments = {"-c",
                       "echo $A $B $FEEDRATE_RANK > $OUT/$FEEDRATE_RANK.txt; read x; test -z $x"};
  options.environment = {{"A", "all"}, {"OUT", folder.path().string()}};
  options.of_rank = {{{"B", "first"}}, {{"B", "second"}}};
  const auto exits = run_ranks(2, options);
  EXPECT_THAT(codes_of(exits), ElementsAre(0, 0));
  EXPECT_EQ(report_of(folder, 0), "all first 0\n");
  EXPECT_EQ(report_of(folder, 1), "all second 1\n");
}

TEST(RunRanks, reports_a_program_that_cannot_be_started) {
  SpawnOptions options;
  options.program = "/no/such/program";
  try {
    static_cast<void>(run_ranks(2, options));
    FAIL();
  } catch (const SystemError& error) {
    EXPECT_THAT(error.what(), StartsWith("/no/such/program: cannot be started as rank 0"));
  }
}

// group.h promises 10 s.
void expect_noticed(const TempFolder& folder, int rank, int victim) {
  const std::string report = report_of(folder, rank);
  ASSERT_THAT(report, StartsWith("lost " + std::to_string(victim) + " after ")) << "rank " << rank;
  EXPECT_LT(std::strtod(report.c_str() + report.find("after") + 6, nullptr), 10) << report;
  EXPECT_THAT(report, HasSubstr("rank " + std::to_string(victim) + " on node "));
}

TEST(RankLost, is_noticed_by_all_others) {
  for (const char* const mode : {"die-barrier", "die-reduce"}) {
    for (const int victim : {0, 2}) {
      const TempFolder folder;
      const auto exits = run_ranks(3, peer(mode, folder, victim));
      EXPECT_EQ(describe_failure(exits),
                "rank " + std::to_string(victim) + " was killed by SIGKILL");
      for (int rank = 0; rank < 3; ++rank) {
        if (rank != victim) expect_noticed(folder, rank, victim);
      }
    }
  }
}

TEST(RunRanks, sends_sigterm_and_then_sigkill) {
  const TempFolder folder;
  SpawnOptions options;
  options.program = "/bin/sh";
  options.arguments = {"-c",
                       "test $FEEDRATE_RANK = 0 && trap '' TERM; touch $OUT/$FEEDRATE_RANK.txt; "
                       "while :; do sleep 0.05; done"};
  options.environment = {{"OUT", folder.path().string()}};
  options.grace = std::chrono::seconds(3);  // Long enough for rank 1 to run on a busy machine.
  std::stop_source stop;
  const std::jthread stopper([&] {
    while (!std::filesystem::exists(folder / "0.txt") ||
           !std::filesystem::exists(folder / "1.txt")) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    stop.request_stop();
  });
  const auto exits = run_ranks(2, options, stop.get_token());
  EXPECT_EQ(exits[1].signal, SIGTERM);
  EXPECT_FALSE(exits[1].was_ended_by_us);
  EXPECT_EQ(exits[0].signal, SIGKILL);
  EXPECT_TRUE(exits[0].was_ended_by_us);
}

TEST(RunRanks, leaves_no_orphan_when_it_is_killed) {
  const TempFolder folder;
  const pid_t runner = ::fork();
  if (runner == 0) {
    static_cast<void>(run_ranks(2, peer("sleep", folder)));
    ::_exit(0);
  }
  for (int rank = 0; rank < 2; ++rank) {
    while (!std::filesystem::exists(folder / (std::to_string(rank) + ".txt"))) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }
  const pid_t rank = std::atoi(report_of(folder, 1).c_str());
  ::kill(runner, SIGKILL);
  ::waitpid(runner, nullptr, 0);
  const std::string stat = "/proc/" + std::to_string(rank) + "/stat";
  // Waits until it is gone, or a zombie that its new parent has not reaped.
  for (;;) {
    std::ifstream in(stat);
    std::string text;
    if (!std::getline(in, text) || text.find(") Z ") != std::string::npos) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

}  // namespace
}  // namespace feedrate
