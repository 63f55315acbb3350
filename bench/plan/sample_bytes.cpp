// SPDX-License-Identifier: Apache-2.0
#include "bench/plan/sample_bytes.h"

#include "core/error.h"
#include "formats/registry.h"
#include "formats/storage.h"
#include "loaders/decode/sample_pipeline.h"
#include "loaders/record_dataset.h"

namespace feedrate {

std::size_t sample_bytes(const SweepConfig& config, std::string& problem) {
  if (!is_there(config.dataset.path)) return 0;
  const OnDamaged on_damaged = config.dataset.skip_damaged ? OnDamaged::kSkip : OnDamaged::kThrow;
  try {
    return make_record_dataset(open_dataset(config.dataset.path), config.pipeline, 0, on_damaged)
        ->sample_bytes();
  } catch (const FormatError& error) {
    problem = error.what();
    return 0;
  }
}

}  // namespace feedrate
