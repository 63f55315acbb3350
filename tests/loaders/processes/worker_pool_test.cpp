// SPDX-License-Identifier: Apache-2.0
// The contract of worker processes, by each transport.
#include "loaders/worker_pool.h"

#include <cstring>
#include <map>
#include <numeric>
#include <set>
#include <thread>

#include "tests/support/matchers.h"
#include "tests/support/scripted_dataset.h"
#include "tests/support/shared_gate.h"

namespace feedrate::testing {
namespace {

class WorkerPoolContract : public ::testing::TestWithParam<Transport> {
 protected:
  std::unique_ptr<WorkerPool> start(std::size_t workers) {
    auto pool = make(workers);
    pool->start();
    return pool;
  }
  std::unique_ptr<WorkerPool> make(std::size_t workers) {
    ResolvedLoaderOptions options;
    options.batch_size = batch_size_;
    options.num_workers = workers;
    options.prefetch_factor = 2;
    options.transport = GetParam();
    options.costs = costs_;
    return make_process_workers(dataset_, options, clock_);
  }

  static BatchTask task(std::uint64_t sequence) {
    return {.sequence = sequence, .epoch = 7, .indices = {4 * sequence, 4 * sequence + 1}};
  }
  static BatchResult take(WorkerPool& pool) {
    return std::get<BatchResult>(pool.receive({}, Nanos(0)).value());
  }
  static Batch batch_of(BatchResult result) {
    if (auto* error = std::get_if<std::exception_ptr>(&result.outcome)) {
      std::rethrow_exception(*error);
    }
    return std::get<Batch>(std::move(result.outcome));
  }

  std::size_t batch_size_ = 4;
  LoaderCosts costs_;
  SteadyClock clock_;
  SharedGate gate_;
  std::function<void(const BatchTask&)> on_fetch_ = [](const BatchTask&) {};
  ScriptedDataset dataset_{100, [this](std::size_t fetcher, const BatchTask& task) {
                             gate_.enter(fetcher, task.sequence);
                             on_fetch_(task);
                           }};
};

TEST_P(WorkerPoolContract, a_task_comes_back_as_its_batch) {
  gate_.open();
  const auto pool = start(2);
  const Nanos before = clock_.now();
  pool->send(1, task(5));
  BatchResult result = take(*pool);
  EXPECT_EQ(result.sequence, 5U);
  EXPECT_EQ(result.worker, 1U);
  EXPECT_GE(result.completed, before);
  EXPECT_LE(result.completed, clock_.now());
  const Batch batch = batch_of(std::move(result));
  EXPECT_EQ(batch.sequence, 5U);
  EXPECT_EQ(batch.epoch, 7U);
  EXPECT_THAT(batch.labels, ElementsAre(20, 21));
  ASSERT_EQ(batch.bytes().size(), 32U);
  std::array<std::uint64_t, 4> values{};
  std::memcpy(values.data(), batch.bytes().data(), 32);
  EXPECT_THAT(values, ElementsAre(7, 20, 7, 21));
  EXPECT_EQ(batch.buffer->kind(), HostMemory::kPageable);
}

TEST_P(WorkerPoolContract, the_tasks_of_one_worker_are_done_in_order_by_one_fetcher) {
  gate_.open();
  const auto pool = start(2);
  for (std::uint64_t i = 0; i < 20; ++i) pool->send(i % 2, task(i));
  std::map<std::size_t, std::vector<std::uint64_t>> by_worker;
  for (std::uint64_t i = 0; i < 20; ++i) {
    const BatchResult result = take(*pool);
    by_worker[result.worker].push_back(result.sequence);
  }
  EXPECT_THAT(by_worker[0], ElementsAre(0, 2, 4, 6, 8, 10, 12, 14, 16, 18));
  EXPECT_THAT(by_worker[1], ElementsAre(1, 3, 5, 7, 9, 11, 13, 15, 17, 19));
  const auto begun = gate_.begun();
  for (std::uint64_t i = 2; i < 20; ++i) EXPECT_EQ(begun.at(i), begun.at(i % 2)) << i;
  EXPECT_NE(begun.at(0), begun.at(1));
  EXPECT_EQ(dataset_.opened(), 2U);
}

TEST_P(WorkerPoolContract, a_result_does_not_wait_for_a_slower_worker) {
  const auto pool = start(2);
  pool->send(0, task(0));
  pool->send(1, task(1));
  gate_.wait_until_begun(2);
  gate_.release(1);
  EXPECT_EQ(take(*pool).sequence, 1U);
  gate_.open();
  EXPECT_EQ(take(*pool).sequence, 0U);
}

TEST_P(WorkerPoolContract, a_worker_goes_on_while_nobody_receives) {
  gate_.open();
  const auto pool = start(1);
  for (std::uint64_t i = 0; i < 100; ++i) pool->send(0, task(i));
  gate_.wait_until_begun(100);
  for (std::uint64_t i = 0; i < 100; ++i) EXPECT_EQ(take(*pool).sequence, i);
}

TEST_P(WorkerPoolContract, sending_does_not_wait_for_a_worker_that_hangs) {
  batch_size_ = 100'000;
  const auto pool = start(1);
  BatchTask large = task(0);
  large.indices.assign(100'000, 3);  // More than a socket buffers.
  for (std::uint64_t i = 0; i < 3; ++i) {
    large.sequence = i;
    pool->send(0, large);
  }
  gate_.wait_until_begun(1);
  gate_.open();
  for (std::uint64_t i = 0; i < 3; ++i) EXPECT_EQ(batch_of(take(*pool)).labels.size(), 100'000U);
}

TEST_P(WorkerPoolContract, an_error_takes_the_place_of_its_batch_and_the_worker_lives_on) {
  gate_.open();
  on_fetch_ = [](const BatchTask& t) {
    if (t.sequence == 1) throw FormatError({.file = "a.tar", .record = 7}, "is damaged");
  };
  const auto pool = start(1);
  for (std::uint64_t i = 0; i < 3; ++i) pool->send(0, task(i));
  EXPECT_EQ(batch_of(take(*pool)).sequence, 0U);
  BatchResult failed = take(*pool);
  EXPECT_EQ(failed.sequence, 1U);
  try {
    static_cast<void>(batch_of(std::move(failed)));
    ADD_FAILURE() << "no error";
  } catch (const FormatError& error) {
    EXPECT_THAT(error.what(), HasSubstr("a.tar: record 7: is damaged"));
  }
  EXPECT_EQ(batch_of(take(*pool)).sequence, 2U);
}

TEST_P(WorkerPoolContract, resumed_comes_after_the_results_of_earlier_tasks) {
  const auto pool = start(2);
  pool->send(0, task(0));
  pool->send(0, task(1));
  pool->resume(0);
  pool->resume(1);
  EXPECT_EQ(std::get<Resumed>(pool->receive({}, Nanos(0)).value()).worker, 1U);
  gate_.open();
  EXPECT_EQ(take(*pool).sequence, 0U);
  EXPECT_EQ(take(*pool).sequence, 1U);
  EXPECT_EQ(std::get<Resumed>(pool->receive({}, Nanos(0)).value()).worker, 0U);
  pool->send(0, task(2));
  EXPECT_EQ(take(*pool).sequence, 2U);
  EXPECT_EQ(dataset_.opened(), 1U) << "a resumed worker keeps its fetcher";
}

TEST_P(WorkerPoolContract, receiving_ends_after_the_timeout) {
  const auto pool = start(1);
  pool->send(0, task(0));
  const Nanos before = clock_.now();
  EXPECT_EQ(pool->receive({}, std::chrono::milliseconds(20)), std::nullopt);
  EXPECT_GE(clock_.now() - before, std::chrono::milliseconds(20));
  gate_.open();
  EXPECT_EQ(take(*pool).sequence, 0U);
}

TEST_P(WorkerPoolContract, a_stop_ends_receiving_and_later_receiving_is_as_before) {
  const auto pool = start(1);
  pool->send(0, task(0));
  gate_.wait_until_begun(1);
  std::stop_source source;
  std::jthread stopper([&] { source.request_stop(); });
  EXPECT_THROW(static_cast<void>(pool->receive(source.get_token(), Nanos(0))), Cancelled);
  EXPECT_THROW(static_cast<void>(pool->receive(source.get_token(), Nanos(0))), Cancelled);
  stopper.join();
  gate_.open();
  std::stop_source another;
  EXPECT_TRUE(pool->receive(another.get_token(), Nanos(0)).has_value());
}

TEST_P(WorkerPoolContract, tasks_dropped_by_a_stop_do_not_come_back) {
  const auto pool = start(2);
  for (std::uint64_t i = 0; i < 6; ++i) pool->send(i % 2, task(i));
  gate_.wait_until_begun(2);
  gate_.open();
  pool->stop();
  gate_.reset();
  gate_.open();
  pool->start();
  pool->send(0, task(50));
  EXPECT_EQ(take(*pool).sequence, 50U);
}

TEST_P(WorkerPoolContract, starts_anew_after_each_stop) {
  gate_.open();
  const auto pool = make(2);
  EXPECT_FALSE(pool->is_running());
  for (std::uint64_t round = 0; round < 3; ++round) {
    pool->start();
    EXPECT_TRUE(pool->is_running());
    pool->send(0, task(2 * round));
    pool->send(1, task(2 * round + 1));
    EXPECT_EQ((std::set{take(*pool).sequence, take(*pool).sequence}),
              (std::set<std::uint64_t>{2 * round, 2 * round + 1}));
    pool->stop();
    pool->stop();
    EXPECT_FALSE(pool->is_running());
  }
  EXPECT_EQ(dataset_.opened(), 6U);
}

TEST_P(WorkerPoolContract, costs_are_spent_where_they_belong) {
  gate_.open();
  costs_.worker_start = std::chrono::milliseconds(2);
  costs_.first_task = std::chrono::milliseconds(30);
  costs_.worker_batch.fixed = std::chrono::milliseconds(4);
  costs_.resume = std::chrono::milliseconds(8);
  const Nanos begin = clock_.now();
  const auto pool = start(2);
  EXPECT_GE(clock_.now() - begin, 2 * costs_.worker_start);
  pool->send(0, task(0));
  const Nanos first = take(*pool).completed;
  EXPECT_GE(first - begin, costs_.first_task + costs_.worker_batch.fixed);
  const Nanos sent = clock_.now();
  pool->resume(0);
  EXPECT_TRUE(std::holds_alternative<Resumed>(*pool->receive({}, Nanos(0))));
  EXPECT_GE(clock_.now() - sent, costs_.resume);
}

// Opens a gate when now() is called after arm().
class OpeningClock final : public Clock {
 public:
  explicit OpeningClock(SharedGate& gate) : gate_(gate) {}
  Nanos now() const override {
    if (armed_) gate_.open();
    return steady_.now();
  }
  void sleep_until(Nanos deadline) override { steady_.sleep_until(deadline); }
  void spin_until(Nanos deadline) override { steady_.spin_until(deadline); }
  void arm() { armed_ = true; }

 private:
  SharedGate& gate_;
  SteadyClock steady_;
  bool armed_ = false;
};

TEST(ProcessWorkers, finish_what_they_have_begun_and_begin_nothing_more_when_they_are_stopped) {
  SharedGate gate;
  const SharedValue<std::atomic<int>> finished(0);
  const ScriptedDataset dataset(100, [&](std::size_t fetcher, const BatchTask& task) {
    gate.enter(fetcher, task.sequence);
    ++*finished;
  });
  OpeningClock clock(gate);
  ResolvedLoaderOptions options;
  options.num_workers = 2;
  options.prefetch_factor = 3;
  const auto pool = make_process_workers(dataset, options, clock);
  pool->start();
  for (std::uint64_t i = 0; i < 6; ++i) pool->send(i % 2, {.sequence = i, .indices = {i}});
  gate.wait_until_begun(2);
  clock.arm();  // stop() reads the clock when it begins to wait, after everything else.
  pool->stop();
  EXPECT_EQ(gate.begun_count(), 2U);
  EXPECT_EQ(*finished, 2);
}

INSTANTIATE_TEST_SUITE_P(all, WorkerPoolContract,
                         ::testing::Values(Transport::kFresh, Transport::kFileSystem));

}  // namespace
}  // namespace feedrate::testing
