// What a DataLoader costs in Python beyond what the native one does: added by keeping the processor
// busy, at the places and on the threads where PyTorch spends it. See docs/cost-profile.md.
#pragma once
#include "core/units.h"

namespace feedrate {

struct LoaderCosts {
  Nanos sample{};                ///< in the worker, a sample: __getitem__ and transforms
  Nanos batch{};                 ///< in the worker, a batch: collate and pickle
  Nanos dispatch{};              ///< in the consumer, a task handed out
  Nanos receive{};               ///< in the receiving thread, a batch: unpickle, handshake, map
  double receive_ns_per_byte{};  ///< the same, a byte
  Nanos pin{};                   ///< in the pin thread, a batch; inline without workers
  double pin_ns_per_byte{};      ///< the same, a byte
  Nanos worker_start{};          ///< in the consumer, a worker, one after the other
  Nanos first_task{};            ///< in a worker just started, before its first task
  Nanos worker_stop{};           ///< in the consumer, a worker, at the end of an epoch
  Nanos resume{};                ///< in a persistent worker, a new epoch
};

}  // namespace feedrate
