// SPDX-License-Identifier: Apache-2.0
// One number of one cell.
#pragma once
#include <string>

namespace feedrate {

enum class Unit {
  kNone,
  kSeconds,
  kBytes,
  kSamplesPerSecond,
  kRatio,
  kCount,
  kVerdict,  ///< 1 pass, 0 fail
};

/// `tag` is stable: it is the column in CSV and the key in JSON. `value` is in the base unit
/// (seconds, bytes, ratio 0..1); only reporters scale for people. What each tag means stands in
/// analysis/columns.h.
struct Metric {
  std::string tag;
  double value = 0.0;
};

}  // namespace feedrate
