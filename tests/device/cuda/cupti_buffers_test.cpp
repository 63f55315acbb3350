// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/cupti_buffers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace feedrate::cupti {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(CuptiBuffers, filled_buffers_are_kept_in_the_order_of_their_return) {
  Buffers buffers(8);
  buffers.open();
  std::uint8_t* first = buffers.lend();
  std::uint8_t* second = buffers.lend();
  EXPECT_FALSE(buffers.take_back(second, 10).memory);
  EXPECT_FALSE(buffers.take_back(first, 20).memory);
  const std::vector<Buffers::Filled> filled = buffers.close();
  ASSERT_THAT(filled, SizeIs(2));
  EXPECT_EQ(filled[0].bytes().data(), second);
  EXPECT_THAT(filled[0].bytes(), SizeIs(10));
  EXPECT_EQ(filled[1].bytes().data(), first);
  EXPECT_THAT(buffers.close(), IsEmpty());
}

TEST(CuptiBuffers, a_buffer_beyond_the_limit_is_handed_back_and_lending_goes_on) {
  Buffers buffers(1);
  buffers.open();
  EXPECT_FALSE(buffers.take_back(buffers.lend(), 10).memory);
  std::uint8_t* second = buffers.lend();
  ASSERT_NE(second, nullptr);
  const Buffers::Filled refused = buffers.take_back(second, 20);
  EXPECT_EQ(refused.memory.get(), second);
  EXPECT_THAT(refused.bytes(), SizeIs(20));
  EXPECT_NE(buffers.lend(), nullptr);
  EXPECT_THAT(buffers.close(), SizeIs(1));
}

TEST(CuptiBuffers, unused_buffers_do_not_count) {
  Buffers buffers(1);
  buffers.open();
  EXPECT_FALSE(buffers.take_back(buffers.lend(), 0).memory);
  EXPECT_FALSE(buffers.take_back(buffers.lend(), 10).memory);
  EXPECT_THAT(buffers.close(), SizeIs(1));
}

TEST(CuptiBuffers, a_buffer_returned_between_two_traces_belongs_to_neither) {
  Buffers buffers(8);
  buffers.open();
  std::uint8_t* late = buffers.lend();
  EXPECT_THAT(buffers.close(), IsEmpty());
  EXPECT_FALSE(buffers.take_back(late, 10).memory);
  buffers.open();
  EXPECT_THAT(buffers.close(), IsEmpty());
}

TEST(CuptiBuffers, returned_buffers_are_not_trusted) {
  Buffers buffers(8);
  buffers.open();
  std::uint8_t unknown = 0;
  EXPECT_FALSE(buffers.take_back(&unknown, 1).memory);
  std::uint8_t* lent = buffers.lend();
  EXPECT_FALSE(buffers.take_back(lent, Buffers::kBufferBytes + 1).memory);
  EXPECT_FALSE(buffers.take_back(lent, 10).memory);  // Returned a second time.
  const std::vector<Buffers::Filled> filled = buffers.close();
  ASSERT_THAT(filled, SizeIs(1));
  EXPECT_THAT(filled[0].bytes(), SizeIs(Buffers::kBufferBytes));
}

}  // namespace
}  // namespace feedrate::cupti
