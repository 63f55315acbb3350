// Ranks as threads of this process; spawn_test.cpp has them as processes.
#include "ranks/tcp_group.h"

#include <atomic>
#include <chrono>
#include <exception>
#include <filesystem>
#include <functional>
#include <latch>
#include <numeric>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "core/error.h"
#include "ranks/meeting.h"
#include "ranks/secret.h"
#include "ranks/socket.h"
#include "tests/support/temp_folder.h"

namespace feedrate {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::TempFolder;

constexpr int kRanks = 4;

Launch launch_of(int rank, int size = kRanks) {
  Launch launch;
  launch.launcher = Launcher::open_mpi;
  launch.rank = launch.local_rank = rank;
  launch.size = launch.local_size = size;
  launch.node = "node" + std::to_string(rank);
  launch.job = "test";
  return launch;
}

// Two nodes of two.
Launch launch_on_two_nodes(int rank, int size) {
  Launch launch = launch_of(rank, size);
  launch.local_rank = rank % 2;
  launch.local_size = 2;
  launch.node = "node" + std::to_string(rank / 2);
  return launch;
}

using Action = std::function<void(RankGroup&)>;

/// What each rank's thread ended by, empty if well.
class Ranks {
 public:
  Ranks(int size, const Action& action, Launch (*launch)(int rank, int size) = launch_of)
      : problems_(static_cast<std::size_t>(size)) {
    std::vector<std::jthread> threads;
    for (int rank = 0; rank < size; ++rank) {
      threads.emplace_back([&, rank] { run(rank, launch(rank, size), action); });
    }
  }
  [[nodiscard]] const std::vector<std::string>& problems() const { return problems_; }

 private:
  void run(int rank, const Launch& launch, const Action& action) {
    try {
      const auto group = join_group(launch, {.folder = folder_.path()});
      action(*group);
    } catch (const std::exception& error) {
      problems_[static_cast<std::size_t>(rank)] = error.what();
    }
  }

  TempFolder folder_;
  std::vector<std::string> problems_;
};

void expect_well(const Ranks& ranks) { EXPECT_THAT(ranks.problems(), ::testing::Each(IsEmpty())); }

TEST(TcpGroup, knows_who_is_where) {
  expect_well(Ranks(kRanks, [](RankGroup& group) {
    ASSERT_EQ(group.places().size(), 4U);
    EXPECT_EQ(group.size(), kRanks);
    EXPECT_EQ(group.places()[2].node, "node2");
    EXPECT_EQ(group.places()[2].local_rank, 2);
    EXPECT_EQ(group.data_path(), "TCP");
  }));
}

TEST(TcpGroup, gathers_texts_of_any_length) {
  expect_well(Ranks(kRanks, [](RankGroup& group) {
    const auto letter = static_cast<char>('a' + group.rank());
    const std::string own(static_cast<std::size_t>(group.rank()) * 1'000'000, letter);
    const auto all = group.all_gather(own);
    ASSERT_EQ(all.size(), 4U);
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
      EXPECT_EQ(all[rank].size(), rank * 1'000'000);
      EXPECT_EQ(all[rank].find_first_not_of(static_cast<char>('a' + rank)), std::string::npos);
    }
    const auto here = group.gather(std::to_string(group.rank()));
    if (group.rank() == 0) {
      EXPECT_THAT(here, ElementsAre("0", "1", "2", "3"));
    } else {
      EXPECT_THAT(here, IsEmpty());
    }
    EXPECT_EQ(group.broadcast(std::to_string(group.rank()), 2), "2");
  }));
}

TEST(TcpGroup, gathers_what_the_ranks_of_a_node_say) {
  const Action ask = [](RankGroup& group) {
    const auto here = gather_on_node(group, std::to_string(group.rank()));
    if (group.rank() < 2) {
      EXPECT_THAT(here, ElementsAre("0", "1"));
    } else {
      EXPECT_THAT(here, ElementsAre("2", "3"));
    }
  };
  expect_well(Ranks(4, ask, launch_on_two_nodes));
}

TEST(TcpGroup, agrees_only_if_all_do) {
  expect_well(Ranks(kRanks, [](RankGroup& group) {
    EXPECT_TRUE(group.agree(true));
    EXPECT_FALSE(group.agree(group.rank() != 3));
    EXPECT_TRUE(group.agree(true));
  }));
}

TEST(TcpGroup, barrier_waits_for_all) {
  std::atomic<int> come = 0;
  expect_well(Ranks(kRanks, [&](RankGroup& group) {
    for (int round = 1; round <= 50; ++round) {
      ++come;
      group.barrier();
      EXPECT_GE(come, round * kRanks);
      group.barrier();
    }
  }));
}

TEST(TcpGroup, sums_numbers_of_all_ranks) {
  for (const int size : {2, 3, 4}) {
    for (const std::size_t count : {0U, 1U, 2U, 3U, 5U, 300'001U}) {
      expect_well(Ranks(size, [&](RankGroup& group) {
        std::vector<float> values(count);
        std::iota(values.begin(), values.end(), static_cast<float>(group.rank()));
        group.all_reduce(values);
        group.all_reduce(values);
        const int ranks = size * (size - 1) / 2;
        for (std::size_t i = 0; i < count; ++i) {
          const auto once = static_cast<float>(static_cast<int>(i) * size + ranks);
          ASSERT_EQ(values[i], once * static_cast<float>(size)) << i;
        }
      }));
    }
  }
}

TEST(TcpGroup, of_one_rank_needs_no_folder) {
  const auto group = join_group(launch_of(0, 1), {});
  group->barrier();
  std::vector<float> values{1, 2};
  group->all_reduce(values);
  EXPECT_THAT(values, ElementsAre(1, 2));
  EXPECT_THAT(group->all_gather("x"), ElementsAre("x"));
}

TEST(TcpGroup, tells_what_ranks_call_that_is_not_the_same) {
  const Ranks ranks(2, [](RankGroup& group) {
    if (group.rank() == 0) {
      group.barrier();
    } else {
      static_cast<void>(group.all_gather(""));
    }
  });
  for (const std::string& problem : ranks.problems()) {
    EXPECT_THAT(problem, HasSubstr("barrier()"));
    EXPECT_THAT(problem, HasSubstr("all_gather()"));
  }
}

TEST(TcpGroup, tells_of_sums_of_different_sizes) {
  const Ranks ranks(2, [](RankGroup& group) {
    std::vector<float> values(static_cast<std::size_t>(3 + group.rank()));
    group.all_reduce(values);
  });
  EXPECT_THAT(ranks.problems()[0] + ranks.problems()[1], HasSubstr("must give as many"));
}

TEST(TcpGroup, names_who_has_left_and_why) {
  for (const int leaver : {0, 2}) {
    const Ranks ranks(kRanks, [&](RankGroup& group) {
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
      const std::string name = std::to_string(leaver);
      EXPECT_THAT(ranks.problems()[rank], HasSubstr("rank " + name + " on node node" + name +
                                                    ": has left: its cell failed"));
    }
  }
}

TEST(TcpGroup, may_be_left_in_peace) {
  expect_well(Ranks(kRanks, [](RankGroup& group) {
    group.barrier();
    if (group.rank() == 1) return;
    group.check();
  }));
}

TEST(TcpGroup, ends_a_reduction_whose_rank_leaves) {
  const Ranks ranks(3, [](RankGroup& group) {
    std::vector<float> values(10);
    group.all_reduce(values);
    if (group.rank() == 1) return group.leave("its cell failed");
    group.all_reduce(values);
  });
  EXPECT_THAT(ranks.problems()[0], HasSubstr("rank 1"));
  EXPECT_THAT(ranks.problems()[2], HasSubstr("rank 1"));
}

// Rank 0's farewell and rank 1's part cross each other in some of the rounds: what rank 0 has
// cancelled must not be done for rank 1.
TEST(TcpGroup, can_be_cancelled_in_what_it_waits_for) {
  constexpr int kRounds = 20;
  for (int round = 0; round < kRounds; ++round) {
    std::latch cancelled(1);
    const Ranks ranks(2, [&](RankGroup& group) {
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
    EXPECT_THAT(ranks.problems()[1], HasSubstr("cancelled"));
  }
}

// --- Joining ------------------------------------------------------------------------------------

TEST(JoinGroup, can_be_cancelled) {
  const TempFolder folder;
  std::stop_source stop;
  stop.request_stop();
  for (const int rank : {0, 1}) {
    EXPECT_THROW(
        static_cast<void>(join_group(launch_of(rank), {.folder = folder.path()}, stop.get_token())),
        Cancelled);
  }
}

TEST(JoinGroup, names_the_ranks_that_do_not_come) {
  const TempFolder folder;
  const TcpGroupOptions options{.folder = folder.path(), .join_limit = std::chrono::seconds(1)};
  try {
    static_cast<void>(join_group(launch_of(0), options));
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("rank 1, 2, 3 did not come within 1 s"));
  }
  try {
    static_cast<void>(join_group(launch_of(1), options));
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr(".feedrate-ranks-test: cannot open"));
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path())) << "rank 0 leaves no file";
}

Launch with_secret(Launch launch, const std::string& secret, int port) {
  launch.secret = secret;
  launch.master_port = port;
  return launch;
}

int free_port() {
  const Listener listener({.host = "127.0.0.1", .port = 0});
  return listener.endpoint().port;
}

TEST(JoinGroup, refuses_another_secret) {
  const int port = free_port();
  std::string refused;
  std::vector<std::string> warnings;
  std::string of_root;
  {
    const std::jthread root([&] {
      try {
        static_cast<void>(
            join_group(with_secret(launch_of(0, 2), "secret of the job.", port),
                       {.folder = {},
                        .join_limit = std::chrono::seconds(2),
                        .warn = [&](std::string_view text) { warnings.emplace_back(text); }}));
      } catch (const Error& error) {
        of_root = error.what();
      }
    });
    const std::jthread other([&] {
      try {
        static_cast<void>(join_group(with_secret(launch_of(1, 2), "another one's secret", port),
                                     {.folder = {}, .join_limit = std::chrono::seconds(2)}));
      } catch (const ConfigError& error) {
        refused = error.what();
      } catch (const Error&) {
        refused = "it was not told";
      }
    });
  }
  EXPECT_THAT(refused, HasSubstr("its secret is another"));
  EXPECT_THAT(of_root, HasSubstr("rank 1 did not come"));
  ASSERT_FALSE(warnings.empty());
  EXPECT_THAT(warnings[0], HasSubstr("does not know the secret"));
}

TEST(JoinGroup, refuses_a_secret_that_can_be_guessed) {
  EXPECT_THROW(static_cast<void>(join_group(with_secret(launch_of(1), "short", 1), {})),
               ConfigError);
}

TEST(JoinGroup, does_not_let_strangers_in_or_hold_it_up) {
  const int port = free_port();
  const auto options = TcpGroupOptions{.folder = {}, .join_limit = std::chrono::seconds(30)};
  std::string problem;
  {
    const auto join = [&](int rank) {
      try {
        const auto group =
            join_group(with_secret(launch_of(rank, 2), "secret of the job.", port), options);
        group->barrier();
      } catch (const Error& error) {
        problem = error.what();
      }
    };
    const std::jthread root([&] { join(0); });
    const Endpoint endpoint{.host = "127.0.0.1", .port = port};
    std::vector<UniqueFd> silent;
    const Deadline deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (silent.size() < 300 && std::chrono::steady_clock::now() < deadline) {
      try {
        silent.push_back(connect_to(endpoint, deadline, {}));
        const std::string noise =
            silent.size() % 2 == 0 ? std::string(silent.size() * 1000, 'x') : make_nonce();
        static_cast<void>(send_some(silent.back().get(), noise));
      } catch (const Error&) {
        std::this_thread::yield();  // It does not listen yet.
      }
    }
    EXPECT_EQ(silent.size(), 300U);
    const std::jthread other([&] { join(1); });
  }
  EXPECT_EQ(problem, "");
}

TEST(JoinGroup, tells_of_two_that_are_the_same_rank) {
  const TempFolder folder;
  std::vector<std::string> problems(3);
  {
    std::vector<std::jthread> threads;
    for (const int index : {0, 1, 2}) {
      threads.emplace_back([&, index] {
        try {
          static_cast<void>(
              join_group(launch_of(std::min(index, 1), 3), {.folder = folder.path()}));
        } catch (const Error& error) {
          problems[static_cast<std::size_t>(index)] = error.what();
        }
      });
    }
  }
  for (const std::string& problem : problems) EXPECT_THAT(problem, HasSubstr("they are rank 1"));
}

// --- The file -----------------------------------------------------------------------------------

TEST(MeetingFile, is_this_users_and_goes) {
  const TempFolder folder;
  const auto path = meeting_file(folder.path(), "slurm-1.0");
  const Meeting meeting{.endpoint = {.host = "fd00::1", .port = 33}, .secret = make_secret()};
  {
    const MeetingFile file(path, meeting);
    struct stat status {};
    ASSERT_EQ(::stat(path.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777U, 0600U);
    const Meeting read = read_meeting_file(path);
    EXPECT_EQ(read.endpoint.host, "fd00::1");
    EXPECT_EQ(read.endpoint.port, 33);
    EXPECT_EQ(read.secret, meeting.secret);
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(MeetingFile, that_others_may_read_or_that_is_a_link_is_refused) {
  const TempFolder folder;
  const auto path = meeting_file(folder.path(), "");
  const MeetingFile file(path, {.endpoint = {.host = "::1", .port = 33}, .secret = make_secret()});
  std::filesystem::create_symlink(path, folder / "link");
  EXPECT_THROW(static_cast<void>(read_meeting_file(folder / "link")), SystemError);
  std::filesystem::permissions(path, std::filesystem::perms::group_read,
                               std::filesystem::perm_options::add);
  EXPECT_THROW(static_cast<void>(read_meeting_file(path)), ConfigError);
}

TEST(MeetingFile, that_says_something_else_is_refused) {
  for (const char* const text :
       {"", "feedrate ranks 1\n", "feedrate ranks 1\naddress host:1\nsecret 0123456789abcdef\n",
        "feedrate ranks 1\naddress 1.2.3.4:70000\nsecret 0123456789abcdef\n",
        "feedrate ranks 1\naddress 1.2.3.4:7\nsecret short\n",
        "feedrate ranks 2\naddress 1.2.3.4:7\nsecret 0123456789abcdef\n"}) {
    EXPECT_THROW(static_cast<void>(parse_meeting(text, "x")), ConfigError) << text;
  }
}

}  // namespace
}  // namespace feedrate
