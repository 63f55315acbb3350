// SPDX-License-Identifier: Apache-2.0
// The facts of this machine that a result stores, and warnings about measurements on it. Any
// thread.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/host/cpu.h"
#include "core/host/memory.h"
#include "core/host/storage.h"

namespace feedrate {

/// Names are stable; values are text for people, "67.4 GB".
struct HostFact {
  std::string name;
  std::string value;
};

/// How CMake built this program.
struct BuildInfo {
  std::string build_type;  ///< "RelWithDebInfo"
  std::string compiler;    ///< "GNU 12.2.0"
};

struct HostState {
  std::string host_name, kernel, os;
  CpuInfo cpu;
  MemoryInfo memory;
  std::optional<StorageInfo> storage;  ///< of the dataset; nothing if none was named or found
  BuildInfo build;
  std::string omp_num_threads;  ///< OMP_NUM_THREADS, or "unset"
};

/// `dataset` may be empty. `root` is for tests.
[[nodiscard]] HostState read_host_state(const std::filesystem::path& dataset, BuildInfo build,
                                        const std::filesystem::path& root = "/");

/// Leaves out unknown facts.
[[nodiscard]] std::vector<HostFact> host_facts(const HostState& state);

/// Each warning is a sentence.
[[nodiscard]] std::vector<std::string> host_warnings(const HostState& state);

}  // namespace feedrate
