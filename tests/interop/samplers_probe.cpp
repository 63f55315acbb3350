// SPDX-License-Identifier: Apache-2.0
// Gives the test in Python access to the samplers: reads a case per line, prints its batches.
#include <cstdio>
#include <exception>
#include <iostream>
#include <string>

#include "tests/support/sampler_case.h"

int main() {
  try {
    for (std::string line; std::getline(std::cin, line);) {
      std::cout << feedrate::testing::answer_sampler_case(line) << '\n';
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
