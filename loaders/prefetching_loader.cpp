// SPDX-License-Identifier: Apache-2.0
// PyTorch's multi-process protocol:
//
//   consumer ──task──► worker i mod W ──► fetch ──result──► [pin thread] ──► sequencer
//      ▲                                                                         │
//      └──────────────────────── batch (in_order or as completed) ◄──────────────┘
//
// Back-pressure is the number of tasks handed out: prefetch_factor * num_workers at the start of an
// epoch, then one for each batch returned. All counters belong to the consumer's thread.
// Source: torch/utils/data/dataloader.py, _MultiProcessingDataLoaderIter; see docs/loader.md.
#include <cstdint>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/error.h"
#include "loaders/batch_maker.h"
#include "loaders/loader.h"
#include "loaders/pinner.h"
#include "loaders/readiness.h"
#include "loaders/sequencer.h"
#include "loaders/worker_pool.h"

namespace feedrate {
namespace {

class PrefetchingLoader final : public Loader {
 public:
  PrefetchingLoader(const Dataset& dataset, const ResolvedLoaderOptions& options, Device& device,
                    std::unique_ptr<WorkerPool> workers)
      : options_(options),
        clock_(device.clock()),
        pinner_(device, options.costs.pin, device.clock()),
        sampler_(make_batch_sampler(dataset, options)),
        readiness_(device.clock()),
        sequencer_(options.in_order ? make_strict_sequencer() : make_as_completed_sequencer()),
        workers_(std::move(workers)) {}

  ~PrefetchingLoader() override { stop_workers(); }

  void start_epoch(std::uint64_t epoch, std::optional<std::size_t> batches,
                   const std::stop_token& stop) override {
    check_iterable(options_);
    if (!options_.persistent_workers) stop_workers();
    workers_->is_running() ? resume_workers(stop) : start_workers();
    sampler_.start(epoch, batches);
    sequencer_->reset();
    load_.assign(options_.num_workers, 0);
    outstanding_ = 0;
    next_worker_ = 0;
    readiness_.start_window();
    for (std::size_t i = 0; i < options_.max_outstanding(); ++i) dispatch();
  }

  std::optional<Batch> next(const std::stop_token& stop) override {
    if (stop.stop_requested()) throw Cancelled();
    if (outstanding_ == 0) {
      if (!options_.persistent_workers) stop_workers();
      return std::nullopt;
    }
    BatchResult result = take_due(stop);
    --outstanding_;
    --load_[result.worker];
    readiness_.take(result.completed);
    spend(clock_, options_.costs.dispatch);
    dispatch();  // Also before an error is thrown, so that the next batches are prefetched.
    if (auto* error = std::get_if<std::exception_ptr>(&result.outcome)) {
      std::rethrow_exception(*error);
    }
    Batch batch = std::get<Batch>(std::move(result.outcome));
    batch.history.worker = static_cast<std::int64_t>(result.worker);
    batch.history.ready = result.completed;
    return batch;
  }

  std::size_t batches_per_epoch() const noexcept override { return sampler_.batches_per_epoch(); }
  std::string_view profile_name() const noexcept override {
    return "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__";
  }
  void start_window() override { readiness_.start_window(); }
  std::optional<double> data_readiness() const override { return readiness_.ratio(); }

 private:
  // The workers start first, so that processes are forked before the pin thread exists.
  void start_workers() {
    workers_->start();
    if (options_.memory != HostMemory::kPinned) return;
    try {
      pin_thread_.emplace(*workers_, pinner_, clock_);
    } catch (const std::system_error& error) {
      workers_->stop();
      throw SystemError("the pin thread", "cannot start", error.code().value());
    }
  }

  void stop_workers() {
    pin_thread_.reset();
    workers_->stop();
  }

  // Drops the results of an epoch left early: they arrive before the Resumed answers.
  void resume_workers(const std::stop_token& stop) {
    for (std::size_t id = 0; id < options_.num_workers; ++id) workers_->resume(id);
    for (std::size_t resumed = 0; resumed < options_.num_workers;) {
      if (std::holds_alternative<Resumed>(receive(stop))) ++resumed;
    }
  }

  void dispatch() {
    std::optional<BatchTask> task = sampler_.next();
    if (!task) return;
    const std::size_t worker = pick_worker();
    ++load_[worker];
    ++outstanding_;
    workers_->send(worker, std::move(*task));
  }

  // Round robin if in_order, so that task i goes to worker i mod W. Otherwise the next worker with
  // fewer than prefetch_factor tasks; one exists, since fewer than prefetch_factor * W tasks are
  // outstanding.
  std::size_t pick_worker() {
    for (;;) {
      const std::size_t id = next_worker_;
      next_worker_ = (next_worker_ + 1) % options_.num_workers;
      if (options_.in_order || load_[id] < options_.prefetch_factor) return id;
    }
  }

  BatchResult take_due(const std::stop_token& stop) {
    for (;;) {
      if (std::optional<BatchResult> due = sequencer_->take()) return std::move(*due);
      WorkerMessage message = receive(stop);
      sequencer_->add(std::get<BatchResult>(std::move(message)));
    }
  }

  WorkerMessage receive(const std::stop_token& stop) {
    std::optional<WorkerMessage> message = pin_thread_
                                               ? pin_thread_->receive(stop, options_.timeout)
                                               : workers_->receive(stop, options_.timeout);
    if (!message) throw TimedOut(options_.timeout);
    return std::move(*message);
  }

  const ResolvedLoaderOptions options_;
  Clock& clock_;
  Pinner pinner_;
  BatchSampler sampler_;
  ReadinessGauge readiness_;
  std::unique_ptr<Sequencer> sequencer_;
  std::size_t next_worker_ = 0;
  std::vector<std::size_t> load_;  // By worker: tasks sent and not yet returned by next().
  std::size_t outstanding_ = 0;    // Sum of load_.
  std::unique_ptr<WorkerPool> workers_;
  std::optional<PinThread> pin_thread_;  // Last member: it uses the workers.
};

}  // namespace

TimedOut::TimedOut(Nanos timeout)
    : Error(fmt::format("timeout: no batch within {} s; a worker hangs, or the timeout is too "
                        "short for one batch",
                        to_seconds(timeout))) {}

std::unique_ptr<Loader> make_prefetching_loader(const Dataset& dataset,
                                                const ResolvedLoaderOptions& options,
                                                Device& device,
                                                std::unique_ptr<WorkerPool> workers) {
  return std::make_unique<PrefetchingLoader>(dataset, options, device, std::move(workers));
}

std::unique_ptr<Loader> make_loader(const Dataset& dataset, const ResolvedLoaderOptions& options,
                                    Device& device) {
  if (options.num_workers == 0) return make_inline_loader(dataset, options, device);
  return make_prefetching_loader(dataset, options, device,
                                 make_process_workers(dataset, options, device.clock()));
}

}  // namespace feedrate
