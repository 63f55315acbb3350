#include "bench/engines/disturbance.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/engines/disturbance_load.h"
#include "core/error.h"
#include "tests/support/process_facts.h"
#include "tests/support/temp_folder.h"

namespace feedrate {
namespace {

class Disturbing : public ::testing::Test {
 protected:
  // Waits until the processes have done something, however slow the machine is.
  DisturbanceSeen watch(const DisturbanceSpec& spec) {
    make_disturbance_files(spec, place_, {});
    Disturbance disturbance(spec, place_);
    disturbance.begin_window();
    const auto has_worked = [&] {
      disturbance.end_window();
      const DisturbanceSeen seen = disturbance.seen();
      return (spec.readers == 0 || seen.bytes_per_second > 0.0) &&
             (!(spec.metadata_per_second > 0.0) || seen.metadata_per_second > 0.0);
    };
    while (!has_worked()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return disturbance.seen();
  }

  testing::TempFolder folder_;
  DisturbancePlace place_{folder_ / "noise", 1 << 20};
};

TEST_F(Disturbing, reads_and_opens_until_it_ends_and_leaves_no_process) {
  const auto before = testing::process_facts();
  const DisturbanceSeen seen =
      watch({.readers = 2, .read_bytes = 65536, .metadata_per_second = 1000.0});
  EXPECT_GT(seen.bytes_per_second, 0.0);
  EXPECT_GT(seen.metadata_per_second, 0.0);
  EXPECT_EQ(testing::process_facts(), before);
}

TEST_F(Disturbing, reads_blocks_of_any_size) {
  EXPECT_GT(watch({.readers = 1, .read_bytes = 70'001}).bytes_per_second, 0.0);
}

TEST_F(Disturbing, uses_files_again_that_are_there) {
  const DisturbanceSpec spec{.readers = 1, .metadata_per_second = 1.0};
  make_disturbance_files(spec, place_, {});
  const auto made = std::filesystem::last_write_time(reader_file(place_.folder, 0));
  make_disturbance_files(spec, place_, {});
  EXPECT_EQ(std::filesystem::last_write_time(reader_file(place_.folder, 0)), made);
  EXPECT_EQ(std::filesystem::file_size(reader_file(place_.folder, 0)), 1U << 20);
  EXPECT_TRUE(std::filesystem::exists(tree_file(place_.folder, kTreeFolders * kTreeFiles - 1)));
}

TEST_F(Disturbing, leaves_no_half_made_file_when_it_is_stopped) {
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW(make_disturbance_files({.readers = 1}, place_, stop.get_token()), Cancelled);
  EXPECT_FALSE(std::filesystem::exists(reader_file(place_.folder, 0)));
}

TEST_F(Disturbing, says_that_a_process_of_it_has_ended) {
  Disturbance disturbance({.readers = 1}, {folder_ / "nowhere", 1 << 20});
  disturbance.begin_window();
  disturbance.end_window();
  const auto ends = [&] {
    try {
      static_cast<void>(disturbance.seen());
      return false;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), ::testing::HasSubstr("ended by itself"));
      return true;
    }
  };
  while (!ends()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

TEST(DisturbanceEvents, keep_those_that_are_there) {
  int calls = 0;
  Disturbance disturbance({}, {});
  const ProtocolEvents events =
      disturbance.around({.on_warm_up = [&] { ++calls; }, .on_window_over = [&] { ++calls; }});
  events.on_warm_up();
  events.on_window_over();
  EXPECT_EQ(calls, 2);
}

}  // namespace
}  // namespace feedrate
