// SPDX-License-Identifier: Apache-2.0
// Read by LeakSanitizer, by this reserved name. HDF5 loses the memory of what it could not write
// when a disk is full; nothing that its caller does afterwards frees it.
extern "C" const char* __lsan_default_suppressions();  // NOLINT(bugprone-reserved-identifier)
extern "C" const char* __lsan_default_suppressions() { return "leak:libhdf5\n"; }
