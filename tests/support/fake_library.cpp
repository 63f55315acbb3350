// SPDX-License-Identifier: Apache-2.0
// A library with one function, for tests of library search.
extern "C" int fake_answer() { return 42; }
