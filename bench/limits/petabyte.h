// How long one petabyte takes at a rate: what makes a rate mean something. Pure functions; any
// thread.
#pragma once
#include <string>
#include <vector>

#include "bench/limits/limit.h"

namespace feedrate {

inline constexpr double kPetabyte = 1e15;

struct PetabyteRow {
  std::string what;  ///< "storage: random cold"
  std::uint64_t size = 0;
  int threads = 0;  ///< 0: says nothing here
  double bytes_per_second = 0.0;
  bool is_nominal = false;  ///< by its data sheet, for comparison
};

[[nodiscard]] double petabyte_seconds(double bytes_per_second);

/// The measured rates of memory, storage and device in bytes a second, slowest first; behind them
/// what links are sold as.
[[nodiscard]] std::vector<PetabyteRow> petabyte_rows(const Limits& limits);

/// "9.26 hours", "11.6 days", "3.17 years"
[[nodiscard]] std::string long_time_text(double seconds);

}  // namespace feedrate
