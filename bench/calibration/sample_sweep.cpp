// SPDX-License-Identifier: Apache-2.0
#include "bench/calibration/sample_sweep.h"

#include <algorithm>

namespace feedrate {

SweepConfig sample_sweep(SweepConfig config) {
  for (Axis& axis : config.axes) axis.values.resize(1);
  for (const char* fixed :
       {"engine=native,torch", "num_workers=0,1,2", "persistent_workers=false", "loader=dataloader",
        "trainer=discard", "pin_memory=false", "in_order=true", "transport=fresh",
        "multiprocessing_context=default", "emulate="}) {
    override_axis(config, parse_axis(fixed));
  }
  config.max_workers_per_cpu.reset();
  config.measure.monitor = false;  // Foreign load is recorded around each start.
  // The begin and end of an epoch are costs, too.
  config.measure.epochs = std::max(config.measure.epochs, MeasureConfig{}.epochs);
  return config;
}

}  // namespace feedrate
