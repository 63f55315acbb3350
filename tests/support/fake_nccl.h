// SPDX-License-Identifier: Apache-2.0
// An NCCL whose ranks are threads of a test, and whose GPUs' memory is the host's. The test names
// its file in FEEDRATE_NCCL_PATH and asks it for fake_nccl().
#pragma once
#include <atomic>

namespace feedrate::testing {

struct FakeNccl {
  std::atomic<int> init_result = 0;  ///< of ncclCommInitRankConfig
  std::atomic<int> communicators = 0;
  std::atomic<int> destroyed = 0;
  std::atomic<int> aborted = 0;
};

}  // namespace feedrate::testing

extern "C" feedrate::testing::FakeNccl* fake_nccl();
