// SPDX-License-Identifier: Apache-2.0
#include "loaders/pinner.h"

#include <cstring>
#include <utility>

#include "core/error.h"
#include "core/nvtx.h"

namespace feedrate {

Pinner::Pinner(Device& device, const LinearCost& cost, Clock& clock)
    : cache_(device), cost_(cost), clock_(clock) {}

void Pinner::pin(Batch& batch) {
  const NvtxRange range("pin", batch.sequence);
  batch.history.pin_begin = clock_.now();
  const Bytes source = batch.bytes();
  const std::shared_ptr<BatchMemory> pinned = cache_.acquire(source.size());
  std::memcpy(pinned->bytes().data(), source.data(), source.size());
  batch.buffer = pinned;
  spend(clock_, cost_.of(source.size()));
  batch.history.pin_end = clock_.now();
}

PinThread::PinThread(WorkerPool& workers, Pinner& pinner, Clock& clock)
    : workers_(workers),
      pinner_(pinner),
      clock_(clock),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

std::optional<WorkerMessage> PinThread::receive(const std::stop_token& stop, Nanos timeout) {
  if (failure_) std::rethrow_exception(failure_);
  std::optional<Item> item = pinned_.pop(stop, timeout);
  if (!item) {
    if (stop.stop_requested()) throw Cancelled();
    return std::nullopt;
  }
  if (auto* failure = std::get_if<std::exception_ptr>(&*item)) {
    failure_ = *failure;
    std::rethrow_exception(failure_);
  }
  return std::get<WorkerMessage>(std::move(*item));
}

void PinThread::run(const std::stop_token& stop) {
  try {
    for (;;) {
      WorkerMessage message = *workers_.receive(stop, Nanos(0));
      pin(message);
      pinned_.push(std::move(message));
    }
  } catch (const Cancelled&) {  // The destructor requested the stop; no receiver is left.
  } catch (...) {
    pinned_.push_front(std::current_exception());
  }
}

// An error while pinning replaces the batch, as in PyTorch.
void PinThread::pin(WorkerMessage& message) {
  auto* result = std::get_if<BatchResult>(&message);
  if (!result) return;
  auto* batch = std::get_if<Batch>(&result->outcome);
  if (!batch) return;
  try {
    pinner_.pin(*batch);
  } catch (...) {
    result->outcome = std::current_exception();
  }
  result->completed = clock_.now();
}

}  // namespace feedrate
