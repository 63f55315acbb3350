// SPDX-License-Identifier: Apache-2.0
// torch.utils.data.DataLoader's protocol, point by point. A gate holds tasks back to force
// interleavings, so that no test depends on timing.
//
// docs/loader.md numbers the points. Points 8 to 12 are tested with their implementation:
// transports in processes/, the pin thread in pinner_test and pinned_cache_test, copies in
// bench/trainers/, orders in sampler_test, validation in options_test.
#include <algorithm>
#include <memory>
#include <set>
#include <thread>
#include <vector>

#include <dirent.h>
#include <unistd.h>

#include "core/error.h"
#include "loaders/loader.h"
#include "tests/support/matchers.h"
#include "tests/support/scripted_dataset.h"
#include "tests/support/shared_gate.h"
#include "tests/support/test_device.h"

namespace feedrate::testing {
namespace {

struct CallCounts {
  std::atomic<std::size_t> sent{0};
  std::atomic<std::size_t> received{0};  // Calls begun.

  void wait_until_received(std::size_t calls) const {
    for (std::size_t now = received; now < calls; now = received) received.wait(now);
  }
};

class LoggingWorkers final : public WorkerPool {
 public:
  LoggingWorkers(std::unique_ptr<WorkerPool> workers, std::vector<std::string>& log,
                 CallCounts& calls)
      : workers_(std::move(workers)), log_(log), calls_(calls) {}
  ~LoggingWorkers() override = default;

  void start() override {
    workers_->start();
    log_.emplace_back("started");
  }
  bool is_running() const noexcept override { return workers_->is_running(); }
  void send(std::size_t worker, BatchTask task) override {
    log_.push_back("send " + std::to_string(task.sequence) + " to " + std::to_string(worker));
    ++calls_.sent;
    workers_->send(worker, std::move(task));
  }
  void resume(std::size_t worker) override {
    log_.push_back("resume " + std::to_string(worker));
    workers_->resume(worker);
  }
  void stop() noexcept override {
    if (is_running()) log_.emplace_back("stop");
    workers_->stop();
  }
  std::optional<WorkerMessage> receive(const std::stop_token& stop, Nanos timeout) override {
    ++calls_.received;
    calls_.received.notify_all();
    return workers_->receive(stop, timeout);
  }

 private:
  std::unique_ptr<WorkerPool> workers_;
  std::vector<std::string>& log_;
  CallCounts& calls_;
};

class Conformance : public ::testing::Test {
 protected:
  // The loader's destructor waits for batches in progress, so the gate must open first.
  struct OpenGateAndDelete {
    SharedGate* gate;
    void operator()(Loader* loader) const {
      gate->open();
      delete loader;
    }
  };
  using GatedLoader = std::unique_ptr<Loader, OpenGateAndDelete>;

  GatedLoader make(const LoaderOptions& options) {
    const ResolvedLoaderOptions resolved = resolve(options);
    auto logging = std::make_unique<LoggingWorkers>(
        make_process_workers(dataset_, resolved, clock_), log_, calls_);
    auto loader = make_prefetching_loader(dataset_, resolved, *device_, std::move(logging));
    return GatedLoader(loader.release(), {&gate_});
  }

  static std::vector<std::uint64_t> run_epoch(Loader& loader) {
    std::vector<std::uint64_t> returned;
    while (const auto batch = loader.next({})) returned.push_back(batch->sequence);
    return returned;
  }

  std::size_t sent() const {
    return static_cast<std::size_t>(
        std::count_if(log_.begin(), log_.end(),
                      [](const std::string& line) { return line.starts_with("send"); }));
  }

  SharedGate gate_;
  std::function<void(std::size_t, const BatchTask&)> on_fetch_ = [](std::size_t, const auto&) {};
  ScriptedDataset dataset_{1000, [this](std::size_t fetcher, const BatchTask& task) {
                             gate_.enter(fetcher, task.sequence);
                             on_fetch_(fetcher, task);
                           }};
  SteadyClock clock_;
  std::unique_ptr<Device> device_ = make_ideal_device(clock_);
  std::vector<std::string> log_;
  CallCounts calls_;
};

// --- 1. Task i goes to worker i mod W; batches come in the sampler's order; at most
// prefetch_factor * W are outstanding.

TEST_F(Conformance, p01_gives_task_i_to_worker_i_mod_w) {
  gate_.open();
  const auto loader = make({.num_workers = 3});
  loader->start_epoch(0, 30);
  run_epoch(*loader);
  const auto begun = gate_.begun();
  for (std::uint64_t task = 0; task < 30; ++task) {
    EXPECT_EQ(begun.at(task), begun.at(task % 3)) << "task " << task;
  }
  EXPECT_EQ((std::set{begun.at(0), begun.at(1), begun.at(2)}.size()), 3U);
}

TEST_F(Conformance, p01_returns_batches_in_the_samplers_order_whatever_comes_first) {
  const auto loader = make({.batch_size = 1, .num_workers = 3, .shuffle = true, .seed = 5});
  loader->start_epoch(2, 6);
  gate_.release(2);
  gate_.release(5);  // Worker 2 finishes both its tasks before the others finish one.
  gate_.wait_until_begun(4);
  gate_.release(1);
  gate_.release(4);
  gate_.wait_until_begun(5);
  gate_.open();
  const auto order = epoch_order(1000, true, 5, 2);
  for (std::uint64_t sequence = 0; sequence < 6; ++sequence) {
    const auto batch = loader->next({});
    EXPECT_EQ(batch->sequence, sequence);
    EXPECT_THAT(batch->labels, ElementsAre(static_cast<std::int64_t>(order[sequence])));
  }
}

TEST_F(Conformance, p01_never_has_more_than_prefetch_factor_times_workers_outstanding) {
  gate_.open();
  const auto loader = make({.num_workers = 2, .prefetch_factor = 3});
  loader->start_epoch(0, 50);
  gate_.wait_until_begun(6);  // The first six need no consumer …
  EXPECT_EQ(sent(), 6U);
  for (std::size_t returned = 1; returned <= 44; ++returned) {
    ASSERT_TRUE(loader->next({}));
    EXPECT_EQ(sent(), 6 + returned);  // … and each returned batch adds one.
  }
}

// --- 2. Priming: exactly min(P, batches) tasks, once all workers are started.

TEST_F(Conformance, p02_primes_once_all_workers_are_started) {
  gate_.open();
  const auto loader = make({.num_workers = 2, .prefetch_factor = 2});
  loader->start_epoch(0, 50);
  EXPECT_THAT(log_,
              ElementsAre("started", "send 0 to 0", "send 1 to 1", "send 2 to 0", "send 3 to 1"));
}

TEST_F(Conformance, p02_primes_no_more_than_there_is) {
  gate_.open();
  const auto loader = make({.num_workers = 4, .prefetch_factor = 4});
  loader->start_epoch(0, 3);
  EXPECT_EQ(sent(), 3U);
  EXPECT_THAT(run_epoch(*loader), ElementsAre(0, 1, 2));
}

// --- 3. A new task for each returned batch or error; never for a batch that only arrives early.

TEST_F(Conformance, p03_a_batch_that_comes_early_starts_no_new_task) {
  const auto loader = make({.num_workers = 2, .prefetch_factor = 1});
  loader->start_epoch(0, 10);
  gate_.release(1);
  std::size_t sent_before_return = 0;
  {
    // The consumer calls receive() again after it has stored batch 1; only then batch 0 is
    // released.
    const std::jthread other([&] {
      calls_.wait_until_received(2);
      sent_before_return = calls_.sent;
      gate_.release(0);
    });
    EXPECT_EQ(loader->next({})->sequence, 0U);
  }
  EXPECT_EQ(sent_before_return, 2U);
  EXPECT_EQ(sent(), 3U);
}

TEST_F(Conformance, p03_an_error_that_is_returned_starts_a_new_task) {
  on_fetch_ = [](std::size_t, const BatchTask& task) {
    if (task.sequence == 0) throw FormatError("a.png: cut short");
  };
  gate_.open();
  const auto loader = make({.num_workers = 1, .prefetch_factor = 1});
  loader->start_epoch(0, 3);
  EXPECT_THROW(static_cast<void>(loader->next({})), FormatError);
  EXPECT_EQ(sent(), 2U);
  EXPECT_THAT(run_epoch(*loader), ElementsAre(1, 2));
}

// --- 4. in_order=False: the order of completion, and tasks for workers with capacity.

TEST_F(Conformance, p04_as_completed_passes_by_a_slow_worker) {
  const auto loader = make({.num_workers = 2, .prefetch_factor = 1, .in_order = false});
  loader->start_epoch(0, 6);
  std::vector<std::uint64_t> returned;
  for (const std::uint64_t task : {1U, 2U, 3U, 4U}) {  // Task 0 blocks its worker.
    gate_.release(task);
    returned.push_back(loader->next({})->sequence);
  }
  EXPECT_THAT(returned, ElementsAre(1, 2, 3, 4));
  const auto begun = gate_.begun();
  for (const std::uint64_t task : {2U, 3U, 4U}) EXPECT_EQ(begun.at(task), begun.at(1));
}

TEST_F(Conformance, p04_a_worker_takes_no_more_than_prefetch_factor_tasks) {
  const auto loader = make({.num_workers = 2, .prefetch_factor = 2, .in_order = false});
  loader->start_epoch(0, 20);
  for (const std::uint64_t task : {1U, 3U, 4U, 5U}) {  // All but worker 0's tasks 0 and 2.
    gate_.release(task);
    static_cast<void>(loader->next({}));
  }
  EXPECT_EQ(std::count_if(log_.begin(), log_.end(),
                          [](const std::string& line) { return line.ends_with(" to 0"); }),
            2);
}

// --- 5. A worker makes one batch at a time, sample after sample, on one thread.

TEST_F(Conformance, p05_a_worker_makes_one_batch_at_a_time_on_one_thread) {
  struct Seen {
    std::atomic<long> thread{0};
    std::atomic<bool> moved{false};
    std::atomic<bool> overlapped{false};
  };
  SharedValue<Seen> seen;
  // All tasks are sent at once, but while task k runs, no later one has begun.
  on_fetch_ = [&](std::size_t, const BatchTask& task) {
    const long thread = ::gettid();
    const long before = seen->thread.exchange(thread);
    if (before != 0 && before != thread) seen->moved = true;
    if (gate_.begun_count() != task.sequence + 1) seen->overlapped = true;
  };
  const auto loader = make({.num_workers = 1, .prefetch_factor = 8});
  loader->start_epoch(0, 8);
  for (std::uint64_t task = 0; task < 8; ++task) {
    gate_.wait_until_begun(task + 1);
    gate_.release(task);
    ASSERT_TRUE(loader->next({}));
  }
  EXPECT_FALSE(seen->overlapped);
  EXPECT_FALSE(seen->moved);
}

// --- 6. Without persistent_workers, workers stop and start each epoch. With them a resume drops
// results of an epoch left early and begins at worker 0 again.

TEST_F(Conformance, p06_starts_and_stops_workers_each_epoch) {
  gate_.open();
  const auto loader = make({.num_workers = 1, .prefetch_factor = 1});
  for (std::uint64_t epoch = 0; epoch < 2; ++epoch) {
    loader->start_epoch(epoch, 2);
    run_epoch(*loader);
  }
  const std::vector<std::string> once{"started", "send 0 to 0", "send 1 to 0", "stop"};
  std::vector<std::string> twice = once;
  twice.insert(twice.end(), once.begin(), once.end());
  EXPECT_EQ(log_, twice);
  EXPECT_EQ(dataset_.opened(), 2U);
}

TEST_F(Conformance, p06_resumes_persistent_workers_from_worker_0) {
  gate_.open();
  const auto loader = make({.num_workers = 2, .prefetch_factor = 1, .persistent_workers = true});
  loader->start_epoch(0, 3);  // The next worker would be worker 1.
  run_epoch(*loader);
  log_.clear();
  loader->start_epoch(1, 2);
  EXPECT_THAT(log_, ElementsAre("resume 0", "resume 1", "send 0 to 0", "send 1 to 1"));
  EXPECT_THAT(run_epoch(*loader), ElementsAre(0, 1));
  EXPECT_EQ(dataset_.opened(), 2U);
}

TEST_F(Conformance, p06_a_resume_waits_for_stale_tasks_and_throws_their_batches_away) {
  const auto loader = make({.num_workers = 2, .prefetch_factor = 2, .persistent_workers = true});
  loader->start_epoch(0, 20);
  gate_.release(0);
  ASSERT_TRUE(loader->next({}));
  {
    // Both workers are in a batch when the epoch is left; it ends when the gate opens.
    const std::jthread other([&] {
      gate_.wait_until_begun(3);
      gate_.open();
    });
    loader->start_epoch(1, 4);
  }
  EXPECT_EQ(gate_.begun_count() >= 5, true);  // All five tasks of the first epoch are done.
  for (std::uint64_t sequence = 0; sequence < 4; ++sequence) {
    const auto batch = loader->next({});
    EXPECT_EQ(batch->sequence, sequence);
    EXPECT_EQ(batch->epoch, 1U);
  }
  EXPECT_FALSE(loader->next({}));
}

TEST_F(Conformance, p06_a_resume_that_waits_for_a_worker_can_be_given_up) {
  const auto loader = make({.num_workers = 1, .prefetch_factor = 1, .persistent_workers = true});
  loader->start_epoch(0, 4);  // The gate holds its first task.
  std::stop_source stop;
  const std::jthread other([&] {
    calls_.wait_until_received(1);
    stop.request_stop();
  });
  EXPECT_THROW(loader->start_epoch(1, 4, stop.get_token()), Cancelled);
}

// --- 7. No prefetch across epochs.

TEST_F(Conformance, p07_prefetches_nothing_of_the_next_epoch) {
  gate_.open();
  for (const bool persistent : {false, true}) {
    log_.clear();
    const auto loader =
        make({.num_workers = 2, .prefetch_factor = 4, .persistent_workers = persistent});
    loader->start_epoch(0, 5);
    run_epoch(*loader);
    EXPECT_EQ(sent(), 5U);
  }
}

// --- 9. Only workers have a pin thread; without them the calling thread pins.

TEST_F(Conformance, p09_pins_every_batch_eagerly) {
  gate_.open();
  const auto loader =
      make({.batch_size = 8, .num_workers = 2, .prefetch_factor = 2, .pin_memory = true});
  loader->start_epoch(0, 20);
  // All outstanding batches are pinned before anyone asks for one.
  while (device_->pinned_bytes() < 4 * 128U) std::this_thread::yield();
  EXPECT_EQ(device_->pinned_bytes(), 4 * 128U);
  while (const auto batch = loader->next({})) {
    EXPECT_EQ(batch->buffer->kind(), HostMemory::kPinned);
  }
}

// --- 13. Errors in place of their batch; deaths (see processes/) and the timeout.

TEST_F(Conformance, p13_throws_errors_in_the_batches_order_by_their_class) {
  on_fetch_ = [](std::size_t, const BatchTask& task) {
    if (task.sequence == 1) throw FormatError("a.png: record 7 is cut short");
    if (task.sequence == 2) throw SystemError("b.png", "cannot open", ENOENT);
  };
  gate_.open();
  const auto loader = make({.num_workers = 3, .prefetch_factor = 1});
  loader->start_epoch(0, 4);
  gate_.wait_until_begun(3);
  EXPECT_EQ(loader->next({})->sequence, 0U);
  EXPECT_THAT([&] { static_cast<void>(loader->next({})); },
              ::testing::ThrowsMessage<FormatError>(HasSubstr("a.png: record 7 is cut short")));
  EXPECT_THAT([&] { static_cast<void>(loader->next({})); },
              ::testing::ThrowsMessage<SystemError>(
                  HasSubstr("b.png: cannot open: No such file or directory")));
  EXPECT_EQ(loader->next({})->sequence, 3U);
}

/// The next batch; on a busy machine the timeout may pass several times before it.
std::optional<Batch> next_despite_timeouts(Loader& loader) {
  for (;;) {
    try {
      return loader.next({});
    } catch (const TimedOut&) {
    }
  }
}

TEST_F(Conformance, p13_gives_up_after_the_timeout) {
  for (const bool pin_memory : {false, true}) {
    gate_.reset();
    const auto loader = make({.num_workers = 2, .pin_memory = pin_memory, .timeout = 0.01});
    loader->start_epoch(0, 4);
    EXPECT_THAT([&] { static_cast<void>(loader->next({})); },
                ::testing::ThrowsMessage<TimedOut>(HasSubstr("timeout: no batch within 0.01 s")));
    gate_.open();
    EXPECT_EQ(next_despite_timeouts(*loader)->sequence, 0U);
  }
}

TEST_F(Conformance, p13_a_stop_comes_before_batches_that_are_ready) {
  gate_.open();
  const auto loader = make({.num_workers = 1, .prefetch_factor = 4});
  loader->start_epoch(0, 8);
  gate_.wait_until_begun(4);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW(static_cast<void>(loader->next(stop.get_token())), Cancelled);
}

// --- 12. Options that DataLoader's constructor accepts and iteration rejects.

TEST_F(Conformance, p12_refuses_prefetch_factor_0_when_it_is_iterated) {
  const auto loader = make({.num_workers = 1, .prefetch_factor = 0});
  EXPECT_THROW(loader->start_epoch(0), ConfigError);
}

TEST(InlineLoader, p09_pins_on_the_calling_thread) {
  SteadyClock clock;
  const auto device = make_ideal_device(clock);
  const ScriptedDataset dataset(8);
  const auto loader = make_loader(dataset, resolve({.batch_size = 4, .pin_memory = true}), *device);
  loader->start_epoch(0);
  EXPECT_EQ(device->pinned_bytes(), 0U);
  EXPECT_EQ(loader->next({})->buffer->kind(), HostMemory::kPinned);
  EXPECT_EQ(device->pinned_bytes(), 64U);
}

TEST(InlineLoader, p12_refuses_a_timeout_when_it_is_iterated) {
  SteadyClock clock;
  const auto device = make_ideal_device(clock);
  const ScriptedDataset dataset(8);
  const auto loader = make_loader(dataset, resolve({.timeout = 2}), *device);
  EXPECT_THROW(loader->start_epoch(0), ConfigError);
}

// --- 14. The profiler's spans have PyTorch's names; interop tests compare them with the installed
// PyTorch.

TEST(ProfileName, p14_is_pytorchs) {
  SteadyClock clock;
  const auto device = make_ideal_device(clock);
  const ScriptedDataset dataset(8);
  EXPECT_EQ(make_loader(dataset, resolve({}), *device)->profile_name(),
            "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__");
  EXPECT_EQ(make_loader(dataset, resolve({.num_workers = 1}), *device)->profile_name(),
            "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__");
}

}  // namespace
}  // namespace feedrate::testing
