// SPDX-License-Identifier: Apache-2.0
// Reads what torch.profiler exported (Chrome trace JSON, also gzipped) into a timeline: the layout
// of PyTorch 1.8 and today's. Reads the file once, front to back; memory is in proportion to the
// activities kept, about 80 bytes each, and not to the file. Any thread.
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
  /// Called now and then with the bytes of the file read so far, and all of them.
  std::function<void(std::uint64_t read, std::uint64_t total)> on_progress = {};
  std::stop_token stop = {};
};

struct TraceFile {
  /// Spans of operators, ranges, CUDA calls and a GPU's work; not Python's frames. Times count from
  /// the first of them.
  Timeline timeline;
  /// What the trace says of itself, in its order: {"cuda_runtime_version", "12040"}.
  std::vector<std::pair<std::string, std::string>> facts;
  std::optional<std::uint64_t> rank;  ///< of torch.distributed; empty: it does not say
  std::uint64_t events = 0;           ///< that were read, kept or not
  std::uint64_t repaired = 0;  ///< of them, those that were read though they are not quite JSON
  /// Ranges of CUPTI's range profiler, which a trace has in place of the GPU's work.
  std::uint64_t profiler_ranges = 0;
  bool is_cut = false;  ///< the file stops before its end
  /// Byte of the unpacked file near which it is damaged; what stands behind was not read.
  std::optional<std::uint64_t> damaged_at;
};

/// Throws ConfigError where there is no such file, FormatError where it is no such trace or damaged
/// gzip, SystemError, and Cancelled.
[[nodiscard]] TraceFile read_trace(const std::filesystem::path& path,
                                   const TraceReadOptions& options = {});

}  // namespace feedrate
