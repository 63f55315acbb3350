// SPDX-License-Identifier: Apache-2.0
// The order in which results are returned: strictly by sequence number, or as they complete.
#pragma once
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <variant>

#include "loaders/batch.h"

namespace feedrate {

/// A worker's answer to a task: a batch, or the error in its place.
struct BatchResult {
  std::uint64_t sequence = 0;
  std::size_t worker = 0;
  Nanos completed{};  ///< when next() could have returned it, on the host's clock
  std::variant<Batch, std::exception_ptr> outcome;
};

/// One thread, the consumer, uses it.
class Sequencer {
 public:
  virtual ~Sequencer() = default;
  virtual void add(BatchResult result) = 0;
  /// The next result in order; empty if it has not arrived.
  [[nodiscard]] virtual std::optional<BatchResult> take() = 0;
  /// Drops all results; the next one due is number 0.
  virtual void reset() = 0;
};

/// in_order=True: keeps results that arrive early, at most prefetch_factor * num_workers - 1, since
/// no more are outstanding.
[[nodiscard]] std::unique_ptr<Sequencer> make_strict_sequencer();
/// in_order=False: returns results in the order of arrival.
[[nodiscard]] std::unique_ptr<Sequencer> make_as_completed_sequencer();

}  // namespace feedrate
