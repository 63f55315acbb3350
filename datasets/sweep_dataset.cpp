// SPDX-License-Identifier: Apache-2.0
#include "datasets/sweep_dataset.h"

#include <fmt/format.h>

namespace feedrate {

std::string catalog_name(const std::string& format, bool presampled, StagingMode staging) {
  std::string name = presampled ? format + " presampled" : format;
  if (staging != StagingMode::kNone) name += fmt::format(" staged {}", to_string(staging));
  return name;
}

}  // namespace feedrate
