// SPDX-License-Identifier: Apache-2.0
// In which order finished work is handed out: strictly by sequence number, or as it completes.
#pragma once
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <variant>

#include "loaders/batch.h"

namespace feedrate {

/// What a worker sends back: the batch, or what went wrong in its place.
struct BatchResult {
  std::uint64_t sequence = 0;
  std::size_t worker = 0;
  Nanos completed{};  ///< on the host's clock: when it could be had
  std::variant<Batch, std::exception_ptr> outcome;
};

/// One thread, the consumer's.
class Sequencer {
 public:
  virtual ~Sequencer() = default;
  virtual void add(BatchResult result) = 0;
  /// The result that is due, if it is here.
  [[nodiscard]] virtual std::optional<BatchResult> take() = 0;
  /// Forgets what it holds; the next result due is number 0.
  virtual void reset() = 0;
};

/// in_order=True: holds back what came early. Holds at most prefetch_factor * num_workers - 1
/// results, since no more are outstanding.
[[nodiscard]] std::unique_ptr<Sequencer> make_strict_sequencer();
/// in_order=False: first come, first served.
[[nodiscard]] std::unique_ptr<Sequencer> make_as_completed_sequencer();

}  // namespace feedrate
