#include "decode/unfilter.h"

#include <vector>

#include <gtest/gtest.h>

#include "core/random.h"

namespace feedrate {
namespace {

using Row = std::vector<std::uint8_t>;

Row random_row(std::size_t size, RandomStream& random) {
  Row row(size);
  // Extremes are frequent, so that sums wrap and distances tie.
  for (std::uint8_t& value : row) {
    const std::uint64_t kind = random.below(4);
    value = kind == 0 ? 0 : kind == 1 ? 255 : static_cast<std::uint8_t>(random.below(256));
  }
  return row;
}

TEST(Unfilter, gives_with_vectors_what_it_gives_without) {
  RandomStream random(1);
  for (int round = 0; round < 4000; ++round) {
    for (const int channels : {1, 3, 4}) {
      const auto width = static_cast<std::size_t>(1 + random.below(40));
      const std::size_t size = width * static_cast<std::size_t>(channels);
      const Row bytes = random_row(size + 1, random);
      const Row above = random_row(size + 1, random);
      const FilteredRow row{static_cast<std::uint8_t>(random.below(5)), bytes.data(), above.data(),
                            size};
      Row fast(size);  // Of the very size, so that AddressSanitizer sees a write behind the end.
      Row plain(size);
      ASSERT_TRUE(unfilter(row, channels, fast.data()));
      ASSERT_TRUE(unfilter_plain(row, channels, plain.data()));
      ASSERT_EQ(fast, plain) << "filter " << int{row.filter} << ", " << channels << " channels";
    }
  }
}

TEST(Unfilter, works_in_place) {
  RandomStream random(2);
  for (const int channels : {1, 4}) {
    for (std::uint8_t filter = 0; filter < 5; ++filter) {
      const Row bytes = random_row(41, random);
      const Row above = random_row(41, random);
      const FilteredRow apart{filter, bytes.data(), above.data(), 40};
      Row expected(41);
      ASSERT_TRUE(unfilter(apart, channels, expected.data()));
      Row row = bytes;
      ASSERT_TRUE(unfilter({filter, row.data(), above.data(), 40}, channels, row.data()));
      row.back() = 0;
      EXPECT_EQ(row, expected) << "filter " << int{filter};
    }
  }
}

TEST(Unfilter, knows_five_filters) {
  const Row bytes(5);
  Row target(4);
  for (const int channels : {1, 3, 4}) {
    for (int filter = 0; filter < 256; ++filter) {
      const FilteredRow row{static_cast<std::uint8_t>(filter), bytes.data(), bytes.data(),
                            static_cast<std::size_t>(channels)};
      EXPECT_EQ(unfilter(row, channels, target.data()), filter < 5);
      EXPECT_EQ(unfilter_plain(row, channels, target.data()), filter < 5);
    }
  }
}

}  // namespace
}  // namespace feedrate
