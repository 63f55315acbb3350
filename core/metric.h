// SPDX-License-Identifier: Apache-2.0
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

/// `tag` is stable: it is the column in CSV and the key in JSON; analysis/columns.h documents each.
/// `value` is in the base unit (seconds, bytes, ratio 0..1); only reporters scale it.
struct Metric {
  std::string tag;
  double value = 0.0;
};

}  // namespace feedrate
