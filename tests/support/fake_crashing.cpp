// SPDX-License-Identifier: Apache-2.0
// A library that takes the process with it as soon as it is opened.
#include <cstdlib>

namespace {

const struct Crash {
  Crash() { std::abort(); }
} crash;

}  // namespace
