// SPDX-License-Identifier: Apache-2.0
// What a start really read, evidence beside its times: storage_read_bytes, called_read_bytes and,
// of this process, files_opened and the requests to servers. What the system does not tell is not
// there. One thread.
#pragma once
#include <memory>

#include "bench/engines/observer.h"

namespace feedrate {

[[nodiscard]] std::unique_ptr<StartObserver> make_io_counters_observer(const StartContext& start);

}  // namespace feedrate
