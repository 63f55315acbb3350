#include "formats/batch_extents.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include "formats/file.h"
#include "tests/support/temp_folder.h"

namespace feedrate {
namespace {

constexpr std::uint64_t kGap = BatchExtents::kJoinedGap;

class BatchExtentsTest : public ::testing::Test {
 protected:
  testing::TempFolder folder_;
  std::string path_ = (folder_ / "file").string();
  UniqueFd first_ = create_file(path_);
  UniqueFd second_ = create_file((folder_ / "other").string());
  BatchExtents extents_;
};

TEST_F(BatchExtentsTest, asks_for_neighbours_together_whatever_their_order) {
  extents_.add(first_.get(), 2 * kGap, kGap);
  extents_.add(first_.get(), 0, kGap);
  EXPECT_EQ(extents_.ask(), 1U);
}

TEST_F(BatchExtentsTest, asks_for_what_lies_further_apart_or_in_another_file_alone) {
  extents_.add(first_.get(), 0, 100);
  extents_.add(first_.get(), 100 + kGap + 1, 100);
  extents_.add(second_.get(), 0, 100);
  EXPECT_EQ(extents_.ask(), 3U);
}

TEST_F(BatchExtentsTest, takes_extents_that_hold_others) {
  extents_.add(first_.get(), 0, 10 * kGap);
  extents_.add(first_.get(), kGap, 1);
  extents_.add(first_.get(), 10 * kGap + 5, 1);
  EXPECT_EQ(extents_.ask(), 1U);
}

TEST_F(BatchExtentsTest, forgets_what_it_has_asked_for) {
  extents_.add(first_.get(), 0, 1);
  EXPECT_EQ(extents_.ask(), 1U);
  EXPECT_EQ(extents_.ask(), 0U);
}

TEST_F(BatchExtentsTest, takes_files_that_cannot_be_asked_for) {
  extents_.add(-1, 0, 1);
  EXPECT_EQ(extents_.ask(), 1U);
  want_file((folder_ / "missing").string());
}

}  // namespace
}  // namespace feedrate
