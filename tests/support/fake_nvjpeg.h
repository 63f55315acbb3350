// SPDX-License-Identifier: Apache-2.0
// An nvJPEG whose answers a test sets. Its files are texts: the hardware takes none that begins
// with "progressive", and no header is found in one that begins with "damaged".
#pragma once
#include <string>
#include <vector>

namespace feedrate::testing {

struct FakeNvjpeg {
  // What it answers.
  bool has_hardware = true;
  int hardware_status = 0;  ///< of the hardware's nvjpegDecodeBatched
  int kernels_status = 0;   ///< of the others'

  std::vector<std::string> calls;  ///< "hardware: prepare 2", "kernels: decode first, second"
};

}  // namespace feedrate::testing

extern "C" feedrate::testing::FakeNvjpeg* fake_nvjpeg();
