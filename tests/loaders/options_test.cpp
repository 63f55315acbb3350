#include "loaders/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"

namespace feedrate {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(LoaderOptions, prefetch_factor_is_two_where_there_are_workers) {
  EXPECT_EQ(resolve({.num_workers = 3}).prefetch_factor, 2U);
  EXPECT_EQ(resolve({.num_workers = 3}).max_outstanding(), 6U);
  EXPECT_EQ(resolve({.num_workers = 0}).prefetch_factor, 0U);
}

TEST(LoaderOptions, pin_memory_decides_the_kind_of_host_memory) {
  EXPECT_EQ(resolve({.pin_memory = true}).memory, HostMemory::kPinned);
  EXPECT_EQ(resolve({.pin_memory = false}).memory, HostMemory::kPageable);
}

void expect_refusal(const LoaderOptions& options, const char* message) {
  EXPECT_THAT([&] { static_cast<void>(resolve(options)); },
              ThrowsMessage<ConfigError>(HasSubstr(message)));
}

TEST(LoaderOptions, refuses_what_dataloader_refuses) {
  expect_refusal({.batch_size = 0}, "batch_size: 0");
  expect_refusal({.num_workers = -1}, "num_workers: -1 is negative");
  expect_refusal({.num_workers = 0, .prefetch_factor = 2}, "prefetch_factor");
  expect_refusal({.num_workers = 0, .persistent_workers = true}, "persistent_workers");
  expect_refusal({.num_workers = 1, .prefetch_factor = 0}, "prefetch_factor: 0");
}

}  // namespace
}  // namespace feedrate
