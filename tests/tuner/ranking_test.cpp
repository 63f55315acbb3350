// SPDX-License-Identifier: Apache-2.0
#include "tuner/ranking.h"

#include <gtest/gtest.h>

namespace feedrate {
namespace {

Candidate candidate(std::size_t cell, std::int64_t workers, const char* stream, bool persistent,
                    double memory) {
  return {cell,
          {{"num_workers", workers},
           {"copy_stream", std::string(stream)},
           {"persistent_workers", persistent}},
          memory};
}

TEST(cheaper_candidate, has_fewer_workers_before_all_else) {
  EXPECT_TRUE(is_cheaper(candidate(1, 1, "side", false, 9e6), candidate(0, 2, "same", true, 1e6)));
}

// As with the cells of a sweep: tune and sweep propose the same.
TEST(cheaper_candidate, takes_less_to_program_before_less_memory) {
  EXPECT_TRUE(is_cheaper(candidate(1, 2, "same", false, 9e6), candidate(0, 2, "side", true, 1e6)));
}

TEST(cheaper_candidate, has_less_memory_before_workers_that_persist) {
  EXPECT_TRUE(is_cheaper(candidate(1, 2, "same", false, 1e6), candidate(0, 2, "same", true, 9e6)));
  EXPECT_TRUE(is_cheaper(candidate(1, 2, "same", true, 1e6), candidate(0, 2, "same", false, 1e6)));
}

TEST(cheaper_candidate, is_earlier_in_the_plan_else) {
  EXPECT_TRUE(is_cheaper(candidate(0, 2, "same", true, 1e6), candidate(1, 2, "same", true, 1e6)));
  EXPECT_FALSE(is_cheaper(candidate(1, 2, "same", true, 1e6), candidate(0, 2, "same", true, 1e6)));
}

}  // namespace
}  // namespace feedrate
