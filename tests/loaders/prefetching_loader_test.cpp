// PyTorch's protocol, step by step; interleavings are forced, never left to luck.
#include <condition_variable>
#include <mutex>
#include <set>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "loaders/loader.h"
#include "tests/support/scripted_dataset.h"
#include "tests/support/test_device.h"

namespace feedrate {
namespace {

using testing::ScriptedDataset;

// Records which worker began which task and holds tasks back until they are let go.
class Gate {
 public:
  void enter(std::size_t fetcher, std::uint64_t task) {
    std::unique_lock lock(mutex_);
    begun_[task] = fetcher;
    changed_.notify_all();
    changed_.wait(lock, [&] { return open_ || let_go_.contains(task); });
  }
  void let_go(std::uint64_t task) {
    const std::lock_guard lock(mutex_);
    let_go_.insert(task);
    changed_.notify_all();
  }
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  void wait_until_begun(std::size_t tasks) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return begun_.size() >= tasks; });
  }
  std::map<std::uint64_t, std::size_t> begun() {
    const std::lock_guard lock(mutex_);
    return begun_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::uint64_t, std::size_t> begun_;  // Task to fetcher.
  std::set<std::uint64_t> let_go_;
  bool open_ = false;
};

class PrefetchingLoaderTest : public ::testing::Test {
 protected:
  std::unique_ptr<Loader> make(LoaderOptions options) {
    options.worker_type = WorkerType::kThread;
    return make_prefetching_loader(dataset_, resolve(options), *device_);
  }

  Gate gate_;
  ScriptedDataset dataset_{100, [this](std::size_t fetcher, const BatchTask& task) {
                             gate_.enter(fetcher, task.sequence);
                           }};
  SteadyClock clock_;
  std::unique_ptr<Device> device_ = testing::make_ideal_device(clock_);
};

TEST_F(PrefetchingLoaderTest, gives_task_i_to_worker_i_mod_w) {
  gate_.open();
  const auto loader = make({.num_workers = 3});
  loader->start_epoch(0, 30);
  while (loader->next({})) {
  }
  const auto begun = gate_.begun();
  for (std::uint64_t task = 0; task < 30; ++task) {
    EXPECT_EQ(begun.at(task), begun.at(task % 3)) << "task " << task;
  }
  EXPECT_EQ((std::set{begun.at(0), begun.at(1), begun.at(2)}.size()), 3U);
}

TEST_F(PrefetchingLoaderTest, never_has_more_than_prefetch_factor_times_workers_outstanding) {
  gate_.open();
  const auto loader = make({.num_workers = 2, .prefetch_factor = 3});
  loader->start_epoch(0, 50);
  gate_.wait_until_begun(6);  // All of the first six can be made without the consumer …
  EXPECT_EQ(gate_.begun().size(), 6U);
  for (std::uint64_t returned = 1; returned <= 44; ++returned) {
    ASSERT_TRUE(loader->next({}));
    gate_.wait_until_begun(6 + returned);  // … and exactly one more for each batch returned.
    EXPECT_EQ(gate_.begun().size(), 6U + returned);
  }
}

TEST_F(PrefetchingLoaderTest, a_batch_that_comes_early_starts_no_new_task) {
  const auto loader = make({.num_workers = 2, .prefetch_factor = 1});
  loader->start_epoch(0, 10);
  gate_.let_go(1);  // Worker 1 is done, worker 0 is not.
  gate_.wait_until_begun(2);
  EXPECT_EQ(gate_.begun().size(), 2U);
  gate_.let_go(0);
  EXPECT_EQ(loader->next({})->sequence, 0U);
  gate_.wait_until_begun(3);
  EXPECT_EQ(gate_.begun().size(), 3U);
  gate_.open();
}

TEST_F(PrefetchingLoaderTest, as_completed_passes_by_a_slow_worker) {
  const auto loader = make({.num_workers = 2, .prefetch_factor = 1, .in_order = false});
  loader->start_epoch(0, 6);
  std::vector<std::uint64_t> returned;
  for (const std::uint64_t task : {1U, 2U, 3U, 4U}) {  // Task 0 holds its worker all the while.
    gate_.let_go(task);
    returned.push_back(loader->next({})->sequence);
  }
  EXPECT_THAT(returned, ::testing::ElementsAre(1, 2, 3, 4));
  const auto begun = gate_.begun();
  for (const std::uint64_t task : {2U, 3U, 4U}) EXPECT_EQ(begun.at(task), begun.at(1));
  gate_.open();
}

TEST_F(PrefetchingLoaderTest, starts_new_workers_each_epoch_unless_they_persist) {
  gate_.open();
  for (const bool persistent : {false, true}) {
    const std::size_t before = dataset_.opened();
    const auto loader = make({.num_workers = 2, .persistent_workers = persistent});
    for (std::uint64_t epoch = 0; epoch < 3; ++epoch) {
      loader->start_epoch(epoch, 8);
      while (loader->next({})) {
      }
    }
    EXPECT_EQ(dataset_.opened() - before, persistent ? 2U : 6U);
  }
}

TEST_F(PrefetchingLoaderTest, gives_up_even_while_batches_are_ready) {
  gate_.open();
  const auto loader = make({.num_workers = 1, .prefetch_factor = 4});
  loader->start_epoch(0, 8);
  gate_.wait_until_begun(4);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW(static_cast<void>(loader->next(stop.get_token())), Cancelled);
}

}  // namespace
}  // namespace feedrate
