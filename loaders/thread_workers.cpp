// SPDX-License-Identifier: Apache-2.0
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/queue.h"
#include "loaders/batch_maker.h"
#include "loaders/buffer_pool.h"
#include "loaders/cache_line.h"
#include "loaders/worker_pool.h"

namespace feedrate {
namespace {

struct ThreadRequest {
  bool is_resume = false;
  BatchTask task = {};
};

class ThreadWorkers final : public WorkerPool {
 public:
  ThreadWorkers(const Dataset& dataset, const ResolvedLoaderOptions& options, Clock& clock)
      : dataset_(dataset),
        options_(options),
        clock_(clock),
        buffers_(options.batch_size * dataset.sample_bytes()) {}

  ~ThreadWorkers() override { stop(); }

  void start() override {
    for (std::size_t id = 0; id < options_.num_workers; ++id) {
      spend(clock_, options_.costs.worker_start);
      workers_.push_back(std::make_unique<Worker>());
      start_thread(id);
    }
  }

  bool is_running() const noexcept override { return !workers_.empty(); }
  void send(std::size_t worker, BatchTask task) override {
    workers_[worker]->requests.push({false, std::move(task)});
  }
  void resume(std::size_t worker) override { workers_[worker]->requests.push({true}); }

  void stop() noexcept override {
    for (const auto& worker : workers_) worker->thread.request_stop();
    workers_.clear();
    while (messages_.try_pop()) {
    }
  }

  std::optional<WorkerMessage> receive(const std::stop_token& stop, Nanos timeout) override {
    if (stop.stop_requested()) throw Cancelled();
    std::optional<WorkerMessage> message = messages_.pop(stop, timeout);
    if (!message && stop.stop_requested()) throw Cancelled();
    return message;
  }

 private:
  /// Aligned to avoid false sharing: each worker locks its own queue, and the consumer locks all.
  struct alignas(kCacheLine) Worker {
    BlockingQueue<ThreadRequest> requests;
    std::jthread thread;  // Last member: joined before the queue is destroyed.
  };

  void start_thread(std::size_t id) try {
    workers_[id]->thread =
        std::jthread([this, id, requests = &workers_[id]->requests](const std::stop_token& stop) {
          run(id, *requests, stop);
        });
  } catch (const std::system_error& error) {
    stop();
    throw SystemError(fmt::format("worker thread {}", id),
                      "cannot start; use a smaller num_workers", error.code().value());
  }

  void run(std::size_t id, BlockingQueue<ThreadRequest>& requests, const std::stop_token& stop) {
    std::unique_ptr<Fetcher> fetcher;
    spend(clock_, options_.costs.first_task);
    while (const std::optional<ThreadRequest> request = requests.pop(stop)) {
      if (stop.stop_requested()) return;
      if (request->is_resume) {
        spend(clock_, options_.costs.resume);
        messages_.push(Resumed{id});
      } else {
        messages_.push(result_of(request->task, id, fetcher));
      }
    }
  }

  BatchResult result_of(const BatchTask& task, std::size_t id, std::unique_ptr<Fetcher>& fetcher) {
    BatchResult result{task.sequence, id, {}, {}};
    try {
      if (!fetcher) fetcher = dataset_.open_fetcher();
      auto memory = buffers_.acquire(task.indices.size() * dataset_.sample_bytes());
      result.outcome = make_batch(task, *fetcher, std::move(memory), options_.costs.worker_sample,
                                  options_.costs.worker_batch, clock_);
    } catch (...) {
      result.outcome = std::current_exception();
    }
    result.completed = clock_.now();
    return result;
  }

  const Dataset& dataset_;
  const ResolvedLoaderOptions options_;
  Clock& clock_;
  BufferPool buffers_;
  BlockingQueue<WorkerMessage> messages_;
  std::vector<std::unique_ptr<Worker>> workers_;  // Last member: the threads use all others.
};

}  // namespace

std::unique_ptr<WorkerPool> make_thread_workers(const Dataset& dataset,
                                                const ResolvedLoaderOptions& options,
                                                Clock& clock) {
  return std::make_unique<ThreadWorkers>(dataset, options, clock);
}

}  // namespace feedrate
