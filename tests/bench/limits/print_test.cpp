// SPDX-License-Identifier: Apache-2.0
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/limits/limit.h"

namespace feedrate {
namespace {

Limits sample_limits() {
  LimitSection memory{
      .topic = "memory",
      .title = "Memory: copying and filling",
      .about = "All workers share this.",
      .rows = {
          {.topic = "memory",
           .name = "copy",
           .size = 256 << 20,
           .threads = 2,
           .unit = "B/s",
           .note = "2 workers collating at once",
           .value = 2e10},
          {.topic = "memory", .name = "copy", .unit = "B/s", .note = "x", .warning = "no\nroom"}}};
  LimitSection decode{.topic = "decode",
                      .title = "Decoding: from encoded bytes to pixels",
                      .about = "By one core.",
                      .rows = {{.topic = "decode",
                                .name = "500x375 JPEG",
                                .size = 108'800,
                                .unit = "images/s",
                                .note = "JPEG decoded whole",
                                .value = 962.4,
                                .warning = "one image only"}}};
  LimitSection device{.topic = "device",
                      .title = "Device: from the host to the GPU",
                      .left_out = "there is no GPU"};
  return {.sections = {memory, decode, device}};
}

TEST(PrintLimits, wraps_lines_that_are_wider_than_the_terminal) {
  std::ostringstream out;
  print_limits(out, sample_limits(), 60);
  EXPECT_THAT(out.str(), ::testing::HasSubstr("  2 workers collating at\n"));
}

TEST(PrintLimits, prints_one_table_per_topic) {
  std::ostringstream out;
  print_limits(out, sample_limits());
  EXPECT_EQ(out.str(),
            R"(Hardware limits. A loader is never faster than the slowest stage that it uses.

Memory: copying and filling
All workers share this.

what     size  threads    at most  is the limit of
----  -------  -------  ---------  ---------------------------
copy  256 MiB        2  20.0 GB/s  2 workers collating at once
copy                 1          –  failed: no room

Decoding: from encoded bytes to pixels
By one core.

what            size  threads       at most  is the limit of
------------  ------  -------  ------------  ----------------------------------
500x375 JPEG  109 kB        1  962 images/s  JPEG decoded whole; one image only

Device: from the host to the GPU
Not measured: there is no GPU
)");
}

TEST(LimitText, sizes_are_binary_if_they_are_multiples_of_1024) {
  EXPECT_EQ(size_text(0), "");
  EXPECT_EQ(size_text(4096), "4 KiB");
  EXPECT_EQ(size_text(256 << 20), "256 MiB");
  EXPECT_EQ(size_text(602'112), "588 KiB");
  EXPECT_EQ(size_text(2'270), "2.27 kB");
}

TEST(LimitText, rates_are_scaled_by_their_unit) {
  EXPECT_EQ(rate_text({.unit = "B/s", .value = 1.21e10}), "12.1 GB/s");
  EXPECT_EQ(rate_text({.unit = "files/s", .value = 178'571.4}), "178,571 files/s");
  EXPECT_EQ(rate_text({.unit = "s", .value = 0.000'96}), "960 µs");
  EXPECT_EQ(rate_text({.unit = "s"}), "–");
}

TEST(LimitText, ids_have_no_spaces) {
  EXPECT_EQ(id_of({.topic = "storage", .name = "random cold", .size = 65'536, .threads = 16}),
            "storage/random_cold/64KiB/threads:16");
  EXPECT_EQ(id_of({.topic = "transforms", .name = "collate 64"}),
            "transforms/collate_64/threads:1");
}

}  // namespace
}  // namespace feedrate
