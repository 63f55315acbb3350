// SPDX-License-Identifier: Apache-2.0
// What the fake NVTX tool saw. The library that NVTX_INJECTION64_PATH names; ask it by
// fake_nvtx_seen().
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace feedrate::testing {

struct FakeNvtxSeen {
  std::vector<std::string> domains;
  std::map<std::string, int> pushes;    ///< by name
  std::vector<std::uint64_t> payloads;  ///< in the order of the pushes
  int pops = 0;
};

}  // namespace feedrate::testing

extern "C" const feedrate::testing::FakeNvtxSeen* fake_nvtx_seen();
