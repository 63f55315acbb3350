// Every expectation is worked out by hand.
#include "tuner/fair_share.h"

#include <vector>

#include <gtest/gtest.h>

namespace feedrate {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

struct End {
  double time;
  std::uint64_t user;
  friend bool operator==(const End&, const End&) = default;
};

std::vector<End> all_ends(FairShare& share) {
  std::vector<End> ends;
  while (share.next_end() < kNever) {
    const double time = share.next_end();
    share.advance_to(time);
    std::uint64_t user = 0;
    while (share.pop_ended(user)) ends.push_back({time, user});
  }
  return ends;
}

// 10 units a second: until 2 s both get 5, then the second one gets 10.
TEST(FairShare, gives_all_users_the_same_until_they_have_all) {
  FairShare share(10.0, 1, kNever);
  share.begin(0, 10.0, 7);
  share.begin(0, 20.0, 8);
  EXPECT_EQ(all_ends(share), (std::vector<End>{{2.0, 7}, {3.0, 8}}));
  EXPECT_DOUBLE_EQ(share.served(), 30.0);
}

TEST(FairShare, a_late_user_shares_what_is_left) {
  FairShare share(10.0, 1, kNever);
  share.begin(0, 20.0, 1);
  share.advance_to(1.0);
  share.begin(0, 5.0, 2);
  EXPECT_EQ(all_ends(share), (std::vector<End>{{2.0, 2}, {2.5, 1}}));
}

// A group of four would get 4 of 6; its limit leaves it 2, and the other two share 4.
TEST(FairShare, a_limited_group_leaves_the_rest_to_others) {
  FairShare share(6.0, 2, 2.0);
  for (std::uint64_t user = 0; user < 4; ++user) share.begin(0, 1.0, user);
  EXPECT_DOUBLE_EQ(share.next_end(), 2.0);
  FairShare wide(6.0, 2, 4.0);
  for (std::uint64_t user = 0; user < 4; ++user) wide.begin(0, 1.0, user);
  wide.begin(1, 8.0, 10);  // 6/5 each, but four of those are more than 4: 1 each, and 2 for this.
  EXPECT_DOUBLE_EQ(wide.next_end(), 1.0);
  wide.advance_to(1.0);
  std::uint64_t user = 0;
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(wide.pop_ended(user));
  EXPECT_FALSE(wide.pop_ended(user));
  EXPECT_DOUBLE_EQ(wide.next_end(), 1.0 + 6.0 / 4.0);
}

TEST(FairShare, without_a_limit_nobody_waits) {
  FairShare share(kNever, 2, kNever);
  share.begin(1, 5.0, 3);
  EXPECT_DOUBLE_EQ(share.next_end(), 0.0);
  std::uint64_t user = 0;
  EXPECT_TRUE(share.pop_ended(user));
  EXPECT_EQ(user, 3U);
}

TEST(FairShare, nobody_there_never_ends) { EXPECT_EQ(FairShare(1.0, 3, 1.0).next_end(), kNever); }

}  // namespace
}  // namespace feedrate
