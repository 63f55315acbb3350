// SPDX-License-Identifier: Apache-2.0
// A fake nvJPEG whose answers a test sets. Its files are texts: the hardware rejects those that
// begin with "progressive", and no header is found in those that begin with "damaged".
#pragma once
#include <string>
#include <vector>

namespace feedrate::testing {

struct FakeNvjpeg {
  // The answers.
  bool has_hardware = true;
  int hardware_status = 0;  ///< result of the hardware's nvjpegDecodeBatched
  int kernels_status = 0;   ///< result of the kernels' nvjpegDecodeBatched

  std::vector<std::string> calls;  ///< "hardware: prepare 2", "kernels: decode first, second"
};

}  // namespace feedrate::testing

extern "C" feedrate::testing::FakeNvjpeg* fake_nvjpeg();
