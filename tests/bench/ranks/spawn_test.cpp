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
#include "tests/support/wait_until.h"

namespace feedrate {
namespace {

using ::testing::HasSubstr;
using testing::read_file;
using ::testing::StartsWith;
using testing::TempFolder;

constexpr auto kGrace = std::chrono::seconds(15);

std::vector<std::string> peer(const std::string& mode, const TempFolder& folder, int victim = -1) {
  return {RANK_PEER, mode, folder.path().string(), std::to_string(victim)};
}

// In `text`, $0 is the folder.
std::vector<std::string> shell(const std::string& text, const TempFolder& folder) {
  return {"/bin/sh", "-c", text, folder.path().string()};
}

std::string report_of(const TempFolder& folder, int rank) {
  return read_file(folder / (std::to_string(rank) + ".txt"));
}

TEST(RunRanks, starts_ranks_that_join) {
  const TempFolder folder;
  EXPECT_EQ(run_ranks(3, peer("meet", folder), kGrace), "") << report_of(folder, 0);
  EXPECT_EQ(report_of(folder, 2), "rank 2 of 3 by shared memory");
}

TEST(RunRanks, gives_each_rank_its_variables_and_an_empty_standard_input) {
  const TempFolder folder;
  const std::string text =
      "echo $FEEDRATE_RANK $FEEDRATE_LOCAL_RANK of $FEEDRATE_RANKS $FEEDRATE_LOCAL_RANKS "
      ">$0/$FEEDRATE_RANK.txt; read x; test -z $x";
  EXPECT_EQ(run_ranks(2, shell(text, folder), kGrace), "");
  EXPECT_EQ(report_of(folder, 0), "0 0 of 2 2\n");
  EXPECT_EQ(report_of(folder, 1), "1 1 of 2 2\n");
}

TEST(RunRanks, names_the_rank_that_failed) {
  const TempFolder folder;
  EXPECT_EQ(run_ranks(3, shell("test $FEEDRATE_RANK != 1 || exit 9", folder), kGrace),
            "rank 1 exited with 9");
}

TEST(RunRanks, reports_a_program_that_cannot_be_started) {
  EXPECT_THROW(static_cast<void>(run_ranks(2, {"/no/such/program"}, kGrace)), ConfigError);
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
      EXPECT_EQ(run_ranks(3, peer(mode, folder, victim), kGrace),
                "rank " + std::to_string(victim) + " was killed by SIGKILL (out of memory?)");
      for (int rank = 0; rank < 3; ++rank) {
        if (rank != victim) expect_noticed(folder, rank, victim);
      }
    }
  }
}

// Runs two ranks, and requests a stop when both have begun.
std::string failure_after_stop(const std::string& trap) {
  const TempFolder folder;
  const std::string text = trap + "; touch $0/$FEEDRATE_RANK.txt; while :; do sleep 0.05; done";
  std::stop_source stop;
  const std::jthread stopper([&] {
    for (const char* name : {"0.txt", "1.txt"}) {
      testing::wait_until([&] { return std::filesystem::exists(folder / name); });
    }
    stop.request_stop();
  });
  // Long enough for rank 1 to run on a busy machine.
  return run_ranks(2, shell(text, folder), std::chrono::seconds(3), stop.get_token());
}

TEST(RunRanks, sends_sigterm_and_then_sigkill) {
  EXPECT_EQ(failure_after_stop("test $FEEDRATE_RANK = 0 && trap '' TERM"),
            "rank 1 was killed by SIGTERM");
  EXPECT_EQ(failure_after_stop("trap '' TERM"),
            "rank 0 was killed, because it did not end after SIGTERM");
}

TEST(RunRanks, leaves_no_orphan_when_it_is_killed) {
  const TempFolder folder;
  const pid_t runner = ::fork();
  if (runner == 0) {
    static_cast<void>(run_ranks(2, peer("sleep", folder), kGrace));
    ::_exit(0);
  }
  for (int rank = 0; rank < 2; ++rank) {
    testing::wait_until(
        [&] { return std::filesystem::exists(folder / (std::to_string(rank) + ".txt")); });
  }
  const pid_t rank = std::atoi(report_of(folder, 1).c_str());
  ::kill(runner, SIGKILL);
  ::waitpid(runner, nullptr, 0);
  const std::string stat = "/proc/" + std::to_string(rank) + "/stat";
  testing::wait_until([&] {  // Until it is gone, or a zombie that its new parent has not reaped.
    std::ifstream in(stat);
    std::string text;
    return !std::getline(in, text) || text.find(") Z ") != std::string::npos;
  });
}

}  // namespace
}  // namespace feedrate
