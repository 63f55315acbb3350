// SPDX-License-Identifier: Apache-2.0
// A fake NCCL: ranks are threads of a test, and GPU memory is host memory. The test names its file
// in FEEDRATE_NCCL_PATH and calls its fake_nccl().
#pragma once
#include <atomic>

namespace feedrate::testing {

struct FakeNccl {
  std::atomic<int> init_result = 0;  ///< result of ncclCommInitRankConfig
  std::atomic<int> communicators = 0;
  std::atomic<int> destroyed = 0;
  std::atomic<int> aborted = 0;
};

}  // namespace feedrate::testing

extern "C" feedrate::testing::FakeNccl* fake_nccl();
