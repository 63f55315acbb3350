// SPDX-License-Identifier: Apache-2.0
// Skips tests without a Python that can import torch.
#pragma once
#include <string>

#include <gtest/gtest.h>

#include "tests/support/run_feedrate.h"

namespace feedrate::testing {

inline bool has_torch(const Finished& done) {
  return done.err.find("no Python that can import torch") == std::string::npos;
}

/// Skips the test if `found` is false.
#define REQUIRE_TORCH(found) \
  if (!(found)) GTEST_SKIP() << "no Python here can import torch; FEEDRATE_PYTHON may name one"

/// The same for a program that has ended, which must be with `code`.
#define REQUIRE_TORCH_EXIT(done, code) \
  REQUIRE_TORCH(has_torch(done));      \
  ASSERT_EQ((done).exit_code, code) << (done).err << (done).out

}  // namespace feedrate::testing
