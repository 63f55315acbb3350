// SPDX-License-Identifier: Apache-2.0
// What one kind of work reaches on this machine at most, and all that was found out so. Plain
// values and pure functions; any thread.
#pragma once
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace feedrate {

struct Limit {
  std::string topic = {};  ///< "memory"
  std::string name = {};   ///< "copy"
  std::uint64_t size = 0;  ///< bytes of one piece of the work; 0: they do not matter
  int threads = 1;         ///< of storage: requests at a time
  std::string unit = {};   ///< "B/s", "images/s", "s": base units, only printers scale
  std::string note = {};   ///< what this is the limit of, in plain words
  double value = std::numeric_limits<double>::quiet_NaN();  ///< not a number: there is none
  std::string warning = {};  ///< why not to believe the value, or why there is none
};

/// The limits of one topic, in the order of measuring.
struct LimitSection {
  std::string topic = {};  ///< "memory"
  std::string title = {};  ///< "Memory: moving bytes within it"
  std::string about = {};  ///< what to know before reading the rows
  std::vector<Limit> rows = {};
  std::string left_out = {};  ///< why there are none; empty otherwise
};

struct Limits {
  std::vector<LimitSection> sections = {};
  bool is_interrupted = false;
};

/// What --only is matched with: "memory/copy/256MiB/threads:2".
[[nodiscard]] std::string id_of(const Limit& limit);

/// "64 KiB", "256 MiB"; "110 kB" of what is no multiple of 1024; empty of 0.
[[nodiscard]] std::string size_text(std::uint64_t bytes);

/// "12.1 GB/s", "962 images/s", "0.96 ms".
[[nodiscard]] std::string rate_text(const Limit& limit);

}  // namespace feedrate
