// SPDX-License-Identifier: Apache-2.0
// Reads a trace of torch.profiler (Chrome trace JSON, also gzipped) into a timeline, in the layouts
// of PyTorch 1.8 to today. Reads the file once, front to back. Memory grows with the activities
// kept, about 80 bytes each, not with the file. Any thread.
#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "analysis/profile/timeline.h"

namespace feedrate {

struct TraceReadOptions {
  /// Called during reading with the bytes read and the size of the file.
  std::function<void(std::uint64_t read, std::uint64_t total)> on_progress = {};
  std::stop_token stop = {};
};

struct TraceFile {
  /// Spans of operators, ranges, CUDA calls and GPU work, without Python's frames. Times count from
  /// the first span.
  Timeline timeline;
  /// Metadata of the trace, in order: {"cuda_runtime_version", "12040"}.
  std::vector<std::pair<std::string, std::string>> facts;
  std::optional<std::uint64_t> rank;  ///< of torch.distributed; empty: not recorded
  std::uint64_t events = 0;           ///< events read, kept or not
  std::uint64_t repaired = 0;         ///< events read that were invalid JSON
  /// Ranges of CUPTI's range profiler, recorded instead of GPU work.
  std::uint64_t profiler_ranges = 0;
  bool is_truncated = false;
  /// Offset in the decompressed file near which it is damaged; the rest was not read.
  std::optional<std::uint64_t> damaged_at;
};

/// Throws ConfigError if there is no such file, FormatError if it is not such a trace or is damaged
/// gzip, SystemError, and Cancelled.
[[nodiscard]] TraceFile read_trace(const std::filesystem::path& path,
                                   const TraceReadOptions& options = {});

}  // namespace feedrate
