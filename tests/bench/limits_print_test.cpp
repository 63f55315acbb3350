#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/limits/print.h"

namespace feedrate {
namespace {

Limits sample_limits() {
  LimitSection memory{
      .topic = "memory",
      .title = "Memory: moving bytes within it",
      .about = "All workers share this.",
      .rows = {
          {.topic = "memory",
           .name = "copy",
           .size = 256 << 20,
           .threads = 2,
           .unit = "B/s",
           .note = "2 workers that collate at once",
           .value = 2e10},
          {.topic = "memory", .name = "copy", .unit = "B/s", .note = "x", .doubt = "no\nroom"}}};
  LimitSection decode{.topic = "decode",
                      .title = "Decoding: from encoded bytes to pixels",
                      .about = "By one core.",
                      .rows = {{.topic = "decode",
                                .name = "500x375 JPEG",
                                .size = 108'800,
                                .unit = "images/s",
                                .note = "JPEG decoded whole",
                                .value = 962.4,
                                .doubt = "one image only"}}};
  LimitSection device{.topic = "device",
                      .title = "Device: from the host to the GPU",
                      .left_out = "there is no GPU"};
  return {.sections = {memory, decode, device}};
}

TEST(PrintLimits, wraps_what_is_wider_than_the_terminal) {
  std::ostringstream out;
  print_limits(out, sample_limits(), 60);
  EXPECT_THAT(out.str(), ::testing::HasSubstr("  2 workers that collate at\n"));
}

TEST(PrintLimits, a_table_a_topic_and_the_petabyte_at_the_end) {
  std::ostringstream out;
  print_limits(out, sample_limits());
  EXPECT_EQ(
      out.str(),
      R"(What this machine allows. A loader is never faster than the slowest of these on its way.

Memory: moving bytes within it
All workers share this.

what     size  threads    at most  is the limit of
----  -------  -------  ---------  ------------------------------
copy  256 MiB        2  20.0 GB/s  2 workers that collate at once
copy                 1          –  failed: no room

Decoding: from encoded bytes to pixels
By one core.

what            size  threads       at most  is the limit of
------------  ------  -------  ------------  ----------------------------------
500x375 JPEG  109 kB        1  962 images/s  JPEG decoded whole; one image only

Device: from the host to the GPU
Not measured: there is no GPU

One petabyte: how long reading 1,000,000,000,000,000 bytes takes
At the rates above that move data, and for comparison at those that links are sold with.

what                        size  threads       rate  one petabyte  which is
-----------------------  -------  -------  ---------  ------------  --------
memory: copy             256 MiB        2  20.0 GB/s    13.9 hours  measured
SATA 6 Gb/s                                 600 MB/s     19.3 days  nominal
10 Gb/s Ethernet                           1.00 GB/s     11.6 days  nominal
8 lanes of PCIe 3                          5.00 GB/s     2.31 days  nominal
56 Gb/s InfiniBand                         6.80 GB/s    40.8 hours  nominal
16 lanes of PCIe 4                         25.0 GB/s    11.1 hours  nominal
40 lanes of PCIe 3                         30.0 GB/s    9.26 hours  nominal
NVLink of one V100 pair                    40.0 GB/s    6.94 hours  nominal
)");
}

TEST(PrintLimits, no_petabyte_where_nothing_moves_data) {
  std::ostringstream out;
  print_limits(out, {});
  EXPECT_EQ(out.str().find("petabyte"), std::string::npos);
}

TEST(LimitText, sizes_are_binary_where_they_are_whole) {
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
  EXPECT_EQ(id_of({.topic = "workers", .name = "thread"}), "workers/thread/threads:1");
}

}  // namespace
}  // namespace feedrate
