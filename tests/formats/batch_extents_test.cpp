// SPDX-License-Identifier: Apache-2.0
#include "formats/batch_extents.h"

#include <utility>
#include <vector>

#include <fcntl.h>

#include "core/host/file.h"
#include "tests/support/matchers.h"
#include "tests/support/temp_folder.h"

namespace feedrate::testing {
namespace {

constexpr std::uint64_t kGap = BatchExtents::kJoinedGap;

class BatchExtentsTest : public ::testing::Test {
 protected:
  TempFolder folder_;
  std::string path_ = (folder_ / "file").string();
  UniqueFd first_ = create_file(path_);
  UniqueFd second_ = create_file((folder_ / "other").string());
  BatchExtents extents_;
};

TEST_F(BatchExtentsTest, merges_neighbors_in_any_order) {
  extents_.add(first_.get(), 2 * kGap, kGap);
  extents_.add(first_.get(), 0, kGap);
  EXPECT_EQ(extents_.ask(), 1U);
}

TEST_F(BatchExtentsTest, does_not_merge_distant_extents_or_other_files) {
  extents_.add(first_.get(), 0, 100);
  extents_.add(first_.get(), 100 + kGap + 1, 100);
  extents_.add(second_.get(), 0, 100);
  EXPECT_EQ(extents_.ask(), 3U);
}

TEST_F(BatchExtentsTest, merges_nested_extents) {
  extents_.add(first_.get(), 0, 10 * kGap);
  extents_.add(first_.get(), kGap, 1);
  extents_.add(first_.get(), 10 * kGap + 5, 1);
  EXPECT_EQ(extents_.ask(), 1U);
}

// The kernel drops the part of a request beyond its read-ahead.
TEST(WantedPieces, are_no_larger_than_the_kernel_takes_at_once) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> pieces;
  for_wanted_pieces(100, 100 + 2 * kWantedAtOnce + 1,
                    [&](std::uint64_t at, std::uint64_t size) { pieces.emplace_back(at, size); });
  using ::testing::Pair;
  EXPECT_THAT(pieces,
              ElementsAre(Pair(100U, kWantedAtOnce), Pair(100U + kWantedAtOnce, kWantedAtOnce),
                          Pair(100U + 2 * kWantedAtOnce, 1U)));
}

TEST_F(BatchExtentsTest, asks_for_each_extent_once) {
  extents_.add(first_.get(), 0, 1);
  EXPECT_EQ(extents_.ask(), 1U);
  EXPECT_EQ(extents_.ask(), 0U);
}

TEST_F(BatchExtentsTest, ignores_files_that_cannot_be_read) {
  extents_.add(-1, 0, 1);
  EXPECT_EQ(extents_.ask(), 1U);
  want_file((folder_ / "missing").string());
}

}  // namespace
}  // namespace feedrate::testing
