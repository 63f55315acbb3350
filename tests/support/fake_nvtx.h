// SPDX-License-Identifier: Apache-2.0
// The events recorded by the fake NVTX tool, the library that NVTX_INJECTION64_PATH names; its
// fake_nvtx_seen() returns them.
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
