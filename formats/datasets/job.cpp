// SPDX-License-Identifier: Apache-2.0
#include "formats/datasets/job.h"

#include <algorithm>
#include <thread>

namespace feedrate {

unsigned Job::worker_count() const {
  return threads > 0 ? threads : std::max(1U, std::thread::hardware_concurrency());
}

void Job::start(std::string_view action, std::size_t total) const {
  if (on_start) on_start(action, total);
}

void Job::advance() const {
  if (on_advance) on_advance(1);
}

}  // namespace feedrate
