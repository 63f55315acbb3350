// SPDX-License-Identifier: Apache-2.0
// Adds what a start really read: storage_read_bytes, called_read_bytes and, for this process,
// files_opened and the requests to servers. Figures that the system does not report are missing.
// One thread.
#pragma once
#include <memory>

#include "bench/engines/observer.h"

namespace feedrate {

[[nodiscard]] std::unique_ptr<StartObserver> make_io_counters_observer(const StartContext& start);

}  // namespace feedrate
