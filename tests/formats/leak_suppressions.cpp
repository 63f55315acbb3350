// SPDX-License-Identifier: Apache-2.0
// LeakSanitizer reads these. HDF5 leaks data that it could not write to a full disk.
extern "C" const char* __lsan_default_suppressions();  // NOLINT(bugprone-reserved-identifier)
extern "C" const char* __lsan_default_suppressions() { return "leak:libhdf5\n"; }
