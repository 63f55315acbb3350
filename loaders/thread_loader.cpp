// PyTorch's multi-process protocol, with threads for processes:
//
//   consumer ──task──► queue of worker i mod W ──► fetch ──result──► results queue
//      ▲                                                                  │
//      └───────────────── sequencer (in_order or as completed) ◄──────────┘
//
// Back-pressure is the number of tasks handed out: prefetch_factor * num_workers at the start of an
// epoch, then one for each batch returned. All counters belong to the consumer's thread.
#include <thread>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/queue.h"
#include "loaders/batch_maker.h"
#include "loaders/loader.h"
#include "loaders/readiness.h"
#include "loaders/sequencer.h"

namespace feedrate {
namespace {

class ThreadLoader final : public Loader {
 public:
  ThreadLoader(const Dataset& dataset, const ResolvedLoaderOptions& options, Device& device)
      : dataset_(dataset),
        options_(options),
        pool_(make_batch_pool(dataset, options, device)),
        sampler_(make_batch_sampler(dataset, options)),
        readiness_(device.clock(), options.in_order),
        sequencer_(options.in_order ? make_strict_sequencer() : make_as_completed_sequencer()) {}

  ~ThreadLoader() override { stop_workers(); }

  void start_epoch(std::uint64_t epoch, std::optional<std::size_t> batches) override {
    abandon_epoch();
    sampler_.start(epoch, batches);
    sequencer_->reset();
    next_worker_ = 0;
    readiness_.start_epoch();
    if (workers_.empty()) start_workers();
    for (std::size_t i = 0; i < options_.max_outstanding(); ++i) dispatch();
  }

  std::optional<Batch> next(const std::stop_token& stop) override {
    if (stop.stop_requested()) throw Cancelled();
    if (unreturned_ == 0) {
      if (!options_.persistent_workers) stop_workers();
      return std::nullopt;
    }
    BatchResult result = take_due(stop);
    --unreturned_;
    --workers_[result.worker]->load;
    readiness_.take(result.sequence);
    dispatch();  // Before an error is thrown, too: the next batches are on their way.
    if (auto* error = std::get_if<std::exception_ptr>(&result.outcome)) {
      std::rethrow_exception(*error);
    }
    return std::get<Batch>(std::move(result.outcome));
  }

  std::size_t batches_per_epoch() const noexcept override { return sampler_.batches_per_epoch(); }
  void start_window() override { readiness_.start_window(); }
  std::optional<double> data_readiness() const override { return readiness_.ratio(); }

 private:
  struct Worker {
    BlockingQueue<BatchTask> tasks;
    std::size_t load = 0;  // Tasks handed out and not returned; the consumer's.
    std::jthread thread;   // Last: joined before the queue dies.
  };

  void start_workers() {
    for (std::size_t id = 0; id < options_.num_workers; ++id) {
      workers_.push_back(std::make_unique<Worker>());
      workers_[id]->thread =
          std::jthread([this, id, worker = workers_[id].get()](const std::stop_token& stop) {
            run_worker(id, *worker, stop);
          });
    }
  }

  // Tasks that no worker has begun are dropped.
  void stop_workers() {
    for (const auto& worker : workers_) worker->thread.request_stop();
    workers_.clear();
    while (results_.try_pop()) {
    }
    unreturned_ = 0;
    unreceived_ = 0;
  }

  // Persistent workers finish what they were given; the results are thrown away, as in PyTorch.
  void abandon_epoch() {
    if (!options_.persistent_workers) stop_workers();
    for (; unreceived_ > 0; --unreceived_) static_cast<void>(results_.pop({}));
    for (const auto& worker : workers_) worker->load = 0;
    unreturned_ = 0;
  }

  void dispatch() {
    std::optional<BatchTask> task = sampler_.next();
    if (!task) return;
    Worker& worker = *workers_[pick_worker()];
    ++worker.load;
    ++unreturned_;
    ++unreceived_;
    worker.tasks.push(std::move(*task));
  }

  // In order: round robin, which makes task i the work of worker i mod W. As completed: the next
  // worker that has room; there is one, since fewer than prefetch_factor * W tasks are outstanding.
  std::size_t pick_worker() {
    for (;;) {
      const std::size_t id = next_worker_;
      next_worker_ = (next_worker_ + 1) % workers_.size();
      if (options_.in_order || workers_[id]->load < options_.prefetch_factor) return id;
    }
  }

  BatchResult take_due(const std::stop_token& stop) {
    for (;;) {
      if (std::optional<BatchResult> due = sequencer_->take()) return std::move(*due);
      std::optional<BatchResult> arrived = results_.pop(stop);
      if (!arrived) throw Cancelled();
      --unreceived_;
      sequencer_->add(std::move(*arrived));
    }
  }

  void run_worker(std::size_t id, Worker& worker, const std::stop_token& stop) {
    std::unique_ptr<Fetcher> fetcher;
    while (std::optional<BatchTask> task = worker.tasks.pop(stop)) {
      if (stop.stop_requested()) return;
      BatchResult result{task->sequence, id, {}};
      try {
        if (!fetcher) fetcher = dataset_.open_fetcher();
        result.outcome = make_batch(*task, *fetcher, pool_);
      } catch (...) {
        result.outcome = std::current_exception();
      }
      readiness_.add(task->sequence);
      results_.push(std::move(result));
    }
  }

  const Dataset& dataset_;
  const ResolvedLoaderOptions options_;
  BufferPool pool_;
  BatchSampler sampler_;
  ReadinessGauge readiness_;
  std::unique_ptr<Sequencer> sequencer_;
  BlockingQueue<BatchResult> results_;
  std::size_t next_worker_ = 0;
  std::size_t unreturned_ = 0;                    // Handed out and not returned by next().
  std::size_t unreceived_ = 0;                    // Handed out and not yet popped from results_.
  std::vector<std::unique_ptr<Worker>> workers_;  // Last: the threads use all of the above.
};

}  // namespace

std::unique_ptr<Loader> make_thread_loader(const Dataset& dataset,
                                           const ResolvedLoaderOptions& options, Device& device) {
  return std::make_unique<ThreadLoader>(dataset, options, device);
}

std::unique_ptr<Loader> make_loader(const Dataset& dataset, const ResolvedLoaderOptions& options,
                                    Device& device) {
  return options.num_workers == 0 ? make_inline_loader(dataset, options, device)
                                  : make_thread_loader(dataset, options, device);
}

}  // namespace feedrate
