// SPDX-License-Identifier: Apache-2.0
#include "formats/datasets/sweep_dataset.h"

#include <fmt/format.h>

namespace feedrate {

std::string catalog_name(const DatasetCopy& copy) {
  std::string name = copy.format;
  if (copy.chunk > 0) name += fmt::format(" chunk={}", copy.chunk);
  if (!copy.codec.empty()) name += fmt::format(" codec={}", copy.codec);
  if (copy.presampled) name += " presampled";
  if (copy.staging != StagingMode::kNone) {
    name += fmt::format(" staged {}", to_string(copy.staging));
  }
  return name;
}

}  // namespace feedrate
