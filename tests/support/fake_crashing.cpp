// SPDX-License-Identifier: Apache-2.0
// A library that aborts the process when it is loaded.
#include <cstdlib>

namespace {

const struct Crash {
  Crash() { std::abort(); }
} crash;

}  // namespace
