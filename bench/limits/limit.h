// SPDX-License-Identifier: Apache-2.0
// The measured limits of this machine. Plain values and pure functions; safe from any thread.
#pragma once
#include <cstdint>
#include <iosfwd>
#include <limits>
#include <string>
#include <vector>

namespace feedrate {

struct Limit {
  std::string topic = {};  ///< "memory"
  std::string name = {};   ///< "copy"
  std::uint64_t size = 0;  ///< bytes of one piece of work; 0: not applicable
  int threads = 1;         ///< threads; in topic storage: concurrent requests
  std::string unit = {};   ///< "B/s", "images/s", "s": base units, only printers scale
  std::string note = {};   ///< the kind of work that it limits, in plain words
  double value = std::numeric_limits<double>::quiet_NaN();  ///< NaN: not measured
  std::string warning = {};  ///< why the value may be wrong, or why there is none
};

/// The limits of one topic, in the order of measuring.
struct LimitSection {
  std::string topic = {};  ///< "memory"
  std::string title = {};  ///< "Memory: moving bytes within it"
  std::string about = {};  ///< how to read the rows
  std::vector<Limit> rows = {};
  std::string left_out = {};  ///< why there are no rows; empty otherwise
};

struct Limits {
  std::vector<LimitSection> sections = {};
  bool is_interrupted = false;
};

/// The ID that --only matches: "memory/copy/256MiB/threads:2".
[[nodiscard]] std::string id_of(const Limit& limit);

/// Returns "64 KiB", "256 MiB"; "110 kB" for a size that is no multiple of 1024; empty for 0.
[[nodiscard]] std::string size_text(std::uint64_t bytes);

/// Returns "12.1 GB/s", "962 images/s", "0.96 ms".
[[nodiscard]] std::string rate_text(const Limit& limit);

/// Prints one table per topic. No line of a table is longer than `width`; 0: unlimited; see
/// TextTable::wrap.
void print_limits(std::ostream& out, const Limits& limits, std::size_t width = 0);

}  // namespace feedrate
