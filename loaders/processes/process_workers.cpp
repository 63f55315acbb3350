// SPDX-License-Identifier: Apache-2.0
// A pool of forked worker processes, as those of torch.utils.data.DataLoader:
//
//   send() ─► feeder thread ─► socket of worker k ─► worker k: fetch ─► shared memory
//                                                          │
//   receive() ◄── map ◄── one socket for all ◄── what and where ┘
//
// A worker that ends hangs up its socket, which receive() polls together with the results.
#include <algorithm>
#include <csignal>
#include <cstring>
#include <limits>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include "core/host/sockets.h"
#include "core/host/wake_up.h"
#include "loaders/processes/messages.h"
#include "loaders/processes/transport/segment.h"
#include "loaders/processes/worker.h"
#include "loaders/processes/worker_process.h"
#include "loaders/worker_pool.h"

namespace feedrate {
namespace {

/// How long stop() waits for batches in progress: PyTorch's MP_STATUS_CHECK_INTERVAL.
constexpr Nanos kJoinLimit = std::chrono::seconds(5);
constexpr Nanos kJoinLimitAfterFailure = std::chrono::milliseconds(500);
constexpr Nanos kTerminateLimit = std::chrono::milliseconds(500);
/// How often receive() checks for workers that ended without closing their socket.
constexpr Nanos kLivenessInterval = std::chrono::seconds(5);
/// Polling for the exit status of a worker that closed its socket.
constexpr Nanos kReapInterval = std::chrono::microseconds(50);
constexpr Nanos kReapLimit = std::chrono::seconds(1);

/// Both tensors of a batch: PyTorch's labels also stay in their segment.
struct ReceivedTensors {
  std::shared_ptr<BatchMemory> samples;
  std::shared_ptr<BatchMemory> labels;
};

std::vector<std::int64_t> read_labels(Bytes bytes) {
  std::vector<std::int64_t> labels(bytes.size() / sizeof(std::int64_t));
  if (!labels.empty()) std::memcpy(labels.data(), bytes.data(), bytes.size());
  return labels;
}

class ProcessWorkers final : public WorkerPool {
 public:
  ProcessWorkers(const Dataset& dataset, const ResolvedLoaderOptions& options, Clock& clock)
      : dataset_(dataset),
        options_(options),
        clock_(clock),
        transport_(options.transport == Transport::kFresh ? make_fresh_transport()
                                                          : make_file_system_transport()),
        shared_(map_for_children(sizeof(std::atomic<bool>), "worker processes")),
        done_(*new (shared_.bytes().data()) std::atomic<bool>(false)),
        polled_(kFirstWorker + options.num_workers) {}

  ~ProcessWorkers() override { stop(); }

  void start() override {
    done_ = false;
    worker_failed_ = false;
    death_.reset();
    receiver_ = {};
    results_ = make_result_sockets();
    try {
      for (std::size_t id = 0; id < options_.num_workers; ++id) start_worker(id);
    } catch (...) {
      stop();
      throw;
    }
  }

  bool is_running() const noexcept override { return !workers_.empty(); }

  void send(std::size_t worker, BatchTask task) override {
    workers_[worker]->send(pack(Request{std::move(task)}));
  }
  void resume(std::size_t worker) override { workers_[worker]->send(pack(Request{})); }

  void stop() noexcept override {
    if (results_.parent.get() < 0) return;
    done_ = true;
    for (const auto& worker : workers_) worker->end_tasks();
    join_workers();
    workers_.clear();
    discard_results();
    transport_->reclaim();
    results_ = {};
  }

  std::optional<WorkerMessage> receive(const std::stop_token& stop, Nanos timeout) override {
    if (stop.stop_requested()) throw Cancelled();
    if (death_) throw WorkerDied(*death_);
    wake_up_.clear();  // Left by an earlier token, whose callback has returned.
    const std::stop_callback on_stop(stop, [this] { wake_up_.signal(); });
    const Nanos deadline = timeout > Nanos(0) ? clock_.now() + timeout : Nanos::max();
    do {
      poll_until(std::min(deadline, clock_.now() + kLivenessInterval));
      throw_if_dead();
      if (stop.stop_requested()) throw Cancelled();
      if (auto arrived = receiver_.try_receive(results_.parent.get())) {
        worker_failed_ = false;
        return to_message(std::move(*arrived));
      }
    } while (clock_.now() < deadline);
    worker_failed_ = true;
    return std::nullopt;
  }

 private:
  static constexpr std::size_t kWakeUp = 0;
  static constexpr std::size_t kResults = 1;
  static constexpr std::size_t kFirstWorker = 2;

  // Emulates the cost of forking PyTorch's larger process before the worker runs.
  void start_worker(std::size_t id) {
    spend(clock_, options_.costs.worker_start);
    SocketPair tasks = make_task_sockets();
    auto child = std::make_unique<ChildProcess>(
        fmt::format("worker process {} of {}", id, options_.num_workers),
        fmt::format("feedrate-w{}", id), [&] {
          close_ends_of_parent(tasks);
          run_worker({id, tasks.worker.get(), results_.worker.get(), done_, dataset_, options_,
                      *transport_, clock_});
        });
    workers_.push_back(std::make_unique<WorkerProcess>(std::move(child), std::move(tasks.parent)));
  }

  // Called in the child: an inherited copy would keep the parent's end open after the parent died.
  void close_ends_of_parent(const SocketPair& tasks) const {
    ::close(tasks.parent.get());
    ::close(results_.parent.get());
    ::close(wake_up_.descriptor());
    for (const auto& worker : workers_) ::close(worker->socket());
  }

  // Stores the events in polled_.
  void poll_until(Nanos deadline) noexcept {
    polled_[kWakeUp] = {wake_up_.descriptor(), POLLIN, 0};
    polled_[kResults] = {results_.parent.get(), POLLIN, 0};
    for (std::size_t id = 0; id < workers_.size(); ++id) {
      // ppoll() skips negative descriptors.
      const bool is_gone = workers_[id]->process().is_known_to_have_ended();
      polled_[kFirstWorker + id] = {is_gone ? -1 : workers_[id]->socket(), 0, 0};
    }
    const Nanos rest = std::max(deadline - clock_.now(), Nanos(0));
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(rest);
    const timespec limit{seconds.count(), (rest - seconds).count()};
    const std::size_t count = kFirstWorker + workers_.size();
    no_events_ = ::ppoll(polled_.data(), count, &limit, nullptr) <= 0;
    if (!no_events_) return;
    for (pollfd& polled : polled_) polled.revents = 0;  // After a timeout or a signal.
  }

  [[nodiscard]] bool has_hung_up(std::size_t id) const {
    return polled_[kFirstWorker + id].revents != 0;
  }

  void throw_if_dead() {
    for (std::size_t id = 0; id < workers_.size() && !death_; ++id) {
      ChildProcess& process = workers_[id]->process();
      if (has_hung_up(id)) wait_for_status(process);
      if (has_hung_up(id) || (no_events_ && process.has_ended())) {
        death_ = describe_death(id, process.pid(), process.status());
      }
    }
    if (death_) {
      worker_failed_ = true;
      throw WorkerDied(*death_);
    }
  }

  // The kernel closes a process's sockets shortly before its exit status is available.
  void wait_for_status(ChildProcess& process) const {
    const Nanos deadline = clock_.now() + kReapLimit;
    while (!process.has_ended() && clock_.now() < deadline)
      std::this_thread::sleep_for(kReapInterval);
  }

  WorkerMessage to_message(Arrived arrived) {
    Reply reply = unpack_reply(arrived.message, std::move(arrived.descriptors));
    if (const auto* resumed = std::get_if<Resumed>(&reply.content)) return *resumed;
    BatchResult result{reply.sequence, reply.worker, reply.completed, {}};
    if (const auto* error = std::get_if<RemoteError>(&reply.content)) {
      result.outcome = rebuild(*error);
      return result;
    }
    try {
      result.outcome = to_batch(std::get<SentBatch>(std::move(reply.content)));
    } catch (const Error&) {
      result.outcome = std::current_exception();
    }
    return result;
  }

  Batch to_batch(SentBatch sent) {
    const auto tensors = std::make_shared<ReceivedTensors>();
    tensors->samples = transport_->receive(std::move(sent.samples));
    tensors->labels = transport_->receive(std::move(sent.labels));
    Batch batch = std::move(sent.batch);
    batch.labels = read_labels(tensors->labels->bytes());
    batch.buffer = std::shared_ptr<BatchMemory>(tensors, tensors->samples.get());
    spend(clock_, options_.costs.receive.of(batch.bytes_used));
    return batch;
  }

  // One deadline for all workers, since they stop at the same time.
  void join_workers() noexcept {
    wait_for_all(clock_.now() + (worker_failed_ ? kJoinLimitAfterFailure : kJoinLimit));
    for (const auto& worker : workers_) {
      worker->process().send_signal(SIGTERM);
      spend(clock_, options_.costs.worker_stop);
    }
    wait_for_all(clock_.now() + kTerminateLimit);
    for (const auto& worker : workers_) {
      worker->process().send_signal(SIGKILL);
      worker->process().wait();
    }
  }

  // Also drains results: a worker may be blocked sending one.
  void wait_for_all(Nanos deadline) noexcept {
    while (clock_.now() < deadline && !all_have_ended()) {
      poll_until(deadline);
      discard_results();
      for (std::size_t id = 0; id < workers_.size(); ++id) {
        if (has_hung_up(id)) wait_for_status(workers_[id]->process());
      }
    }
  }

  [[nodiscard]] bool all_have_ended() const noexcept {
    return std::all_of(workers_.begin(), workers_.end(),
                       [](const auto& worker) { return worker->process().has_ended(); });
  }

  // reclaim() frees their memory.
  void discard_results() noexcept {
    try {
      while (receiver_.try_receive(results_.parent.get())) {
      }
    } catch (const std::exception&) {  // Out of memory: the message is lost, as intended.
    }
  }

  const Dataset& dataset_;
  const ResolvedLoaderOptions options_;
  Clock& clock_;
  std::unique_ptr<TensorTransport> transport_;
  Mapping shared_;
  std::atomic<bool>& done_;  // In shared_; tells workers to begin no more tasks.
  WakeUp wake_up_;
  SocketPair results_;
  ResultReceiver receiver_;
  std::vector<pollfd> polled_;
  std::optional<std::string> death_;  // Describes a dead worker.
  bool no_events_ = false;
  bool worker_failed_ = false;
  std::vector<std::unique_ptr<WorkerProcess>> workers_;
};

}  // namespace

std::unique_ptr<WorkerPool> make_process_workers(const Dataset& dataset,
                                                 const ResolvedLoaderOptions& options,
                                                 Clock& clock) {
  return std::make_unique<ProcessWorkers>(dataset, options, clock);
}

}  // namespace feedrate
