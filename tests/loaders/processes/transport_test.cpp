// SPDX-License-Identifier: Apache-2.0
// Transports of a batch from a worker process: where its memory is, and that none of it leaks.
#include "loaders/processes/transport/transport.h"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/owner_mark.h"
#include "loaders/worker_pool.h"
#include "tests/support/forked_test.h"
#include "tests/support/matchers.h"
#include "tests/support/process_facts.h"
#include "tests/support/scripted_dataset.h"
#include "tests/support/shared_gate.h"

namespace feedrate::testing {
namespace {

constexpr std::size_t kWorkersOfOneJob = 2;

ResolvedLoaderOptions options_of(Transport transport) {
  ResolvedLoaderOptions options;
  options.batch_size = 8;
  options.num_workers = kWorkersOfOneJob;
  options.prefetch_factor = 2;
  options.transport = transport;
  return options;
}

BatchTask task(std::uint64_t sequence) {
  return {.sequence = sequence, .epoch = 0, .indices = {sequence, sequence + 1}};
}

Batch take(WorkerPool& pool) {
  return std::get<Batch>(std::get<BatchResult>(pool.receive({}, Nanos(0)).value()).outcome);
}

class Transports : public ::testing::TestWithParam<Transport> {
 protected:
  std::unique_ptr<WorkerPool> make() {
    return make_process_workers(dataset_, options_of(GetParam()), clock_);
  }

  SteadyClock clock_;
  SharedGate gate_;
  ScriptedDataset dataset_{100, [this](std::size_t fetcher, const BatchTask& task) {
                             gate_.enter(fetcher, task.sequence);
                           }};
  const ProcessFacts before_ = process_facts();
};

TEST_P(Transports, leave_nothing_after_twenty_starts_and_stops) {
  gate_.open();
  auto pool = make();
  pool->start();  // The first start has one-time allocations.
  pool->stop();
  const ProcessFacts idle = process_facts();
  for (std::uint64_t round = 0; round < 20; ++round) {
    pool->start();
    for (std::uint64_t i = 0; i < 6; ++i) pool->send(i % kWorkersOfOneJob, task(i));
    for (std::uint64_t i = 0; i < round % 7; ++i) static_cast<void>(take(*pool));  // Some or all.
    pool->stop();
    ASSERT_EQ(process_facts(), idle) << "round " << round;
  }
  pool.reset();
  EXPECT_EQ(process_facts(), before_);
}

TEST_P(Transports, let_batches_outlive_their_pool_and_leave_nothing_then) {
  gate_.open();
  std::vector<Batch> held;
  for (std::uint64_t round = 0; round < 5; ++round) {
    const auto pool = make();
    pool->start();
    for (std::uint64_t i = 0; i < 6; ++i) pool->send(i % kWorkersOfOneJob, task(i));
    for (std::uint64_t i = 0; i < 3; ++i) held.push_back(take(*pool));
  }
  for (const Batch& batch : held) {
    EXPECT_EQ(batch.bytes().size(), 32U);
    EXPECT_EQ(std::to_integer<std::uint64_t>(batch.bytes()[8]), batch.sequence);
  }
  held.clear();
  EXPECT_EQ(process_facts(), before_);
}

TEST_P(Transports, keep_only_unreceived_batches_while_they_run) {
  gate_.open();
  const auto pool = make();
  pool->start();
  pool->send(0, task(0));
  static_cast<void>(take(*pool));
  const ProcessFacts running = process_facts();
  for (std::uint64_t i = 1; i < 30; ++i) {
    pool->send(i % kWorkersOfOneJob, task(i));
    static_cast<void>(take(*pool));
  }
  const ProcessFacts later = process_facts();
  EXPECT_EQ(later.descriptors, running.descriptors);
  EXPECT_EQ(later.shared_mappings, running.shared_mappings);
  EXPECT_EQ(later.segments, 0);
}

TEST_P(Transports, lose_nothing_to_a_worker_that_is_killed_at_its_batch) {
  auto pool = make();
  pool->start();
  pool->send(0, task(0));
  pool->send(1, task(1));
  gate_.wait_until_begun(2);
  gate_.release(0);
  static_cast<void>(take(*pool));
  // Worker 1 is making its batch and has allocated its memory, so stop() must kill it.
  EXPECT_EQ(pool->receive({}, std::chrono::milliseconds(1)), std::nullopt);
  pool->stop();
  EXPECT_EQ(process_facts().segments, 0);
  gate_.open();
  pool->start();
  for (std::uint64_t i = 0; i < 10; ++i) pool->send(1, task(i));
  for (std::uint64_t i = 0; i < 10; ++i) EXPECT_EQ(take(*pool).sequence, i);
  pool.reset();
  EXPECT_EQ(process_facts(), before_);
}

TEST_P(Transports, carry_messages_about_damaged_records_of_any_length) {
  class Damaged final : public Dataset {
   public:
    std::uint64_t size() const noexcept override { return 10; }
    std::size_t sample_bytes() const noexcept override { return 4; }
    std::unique_ptr<Fetcher> open_fetcher() const override {
      struct ThisFetcher final : Fetcher {
        void fetch(const BatchTask& task, Batch& batch) override {
          for (int i = 0; i < 1000; ++i) batch.damaged.push_back(std::string(500, 'x'));
          batch.damaged.push_back("the last of " + std::to_string(task.sequence));
          batch.times = {Nanos(1), Nanos(2), Nanos(3)};
          const Nanos until = SteadyClock().now() + std::chrono::milliseconds(2);
          while (SteadyClock().now() < until) {
          }
        }
      };
      return std::make_unique<ThisFetcher>();
    }
  };
  const Damaged dataset;
  const auto pool = make_process_workers(dataset, options_of(GetParam()), clock_);
  pool->start();
  for (std::uint64_t i = 0; i < 20; ++i) pool->send(i % kWorkersOfOneJob, task(i));
  for (std::uint64_t i = 0; i < 20; ++i) {
    const Batch batch = take(*pool);
    ASSERT_EQ(batch.damaged.size(), 1001U);
    EXPECT_EQ(batch.damaged.back(), "the last of " + std::to_string(batch.sequence));
    EXPECT_EQ(batch.times.transform, Nanos(3));
    EXPECT_GT(batch.worker_cpu, Nanos(0));
  }
}

INSTANTIATE_TEST_SUITE_P(all, Transports,
                         ::testing::Values(Transport::kFresh, Transport::kFileSystem));

// Sender and receiver are in one process here.

TEST(FreshTransport, sends_a_segment_of_exact_size_that_has_no_name) {
  const auto transport = make_fresh_transport();
  const auto sender = transport->make_sender();
  auto tensor = sender->allocate(5000);
  EXPECT_EQ(process_facts().segments, 0);
  tensor->bytes()[4999] = std::byte{7};
  TensorHandle handle = tensor->hand_over();
  tensor.reset();
  struct stat status {};
  ASSERT_EQ(::fstat(handle.descriptor.get(), &status), 0);
  EXPECT_EQ(status.st_size, 5000);
  EXPECT_EQ(status.st_nlink, 0U);
  const auto memory = transport->receive(std::move(handle));
  ASSERT_EQ(memory->bytes().size(), 5000U);
  EXPECT_EQ(memory->bytes()[4999], std::byte{7});
}

TEST(FreshTransport, each_batch_held_keeps_its_descriptor_open) {
  const auto transport = make_fresh_transport();
  const auto sender = transport->make_sender();
  const auto before = process_facts();
  auto memory = transport->receive(sender->allocate(100)->hand_over());
  EXPECT_EQ(process_facts().descriptors, before.descriptors + 1);
  memory.reset();
  EXPECT_EQ(process_facts(), before);
}

TEST(FileSystemTransport, sends_a_name_and_keeps_no_descriptor) {
  const auto transport = make_file_system_transport();
  const auto before = process_facts();
  auto memory = transport->receive(transport->make_sender()->allocate(100)->hand_over());
  EXPECT_EQ(process_facts().descriptors, before.descriptors);
  EXPECT_EQ(process_facts().segments, before.segments + 1);
  memory.reset();
  EXPECT_EQ(process_facts(), before);
}

TEST(FileSystemTransport, reclaims_what_was_never_received) {
  const auto transport = make_file_system_transport();
  const auto before = process_facts();
  const TensorHandle lost = transport->make_sender()->allocate(100)->hand_over();
  EXPECT_EQ(process_facts().segments, before.segments + 1);
  transport->reclaim();
  EXPECT_EQ(process_facts(), before);
}

TEST(LeftSegments, of_a_process_that_is_gone_are_removed_and_no_others) {
  const auto leave_one = [] {
    const std::string path = fmt::format("/dev/shm/feedrate_{}_0_0", owner_mark());
    return std::ofstream(path).put('x').flush() ? path : std::string();
  };
  const std::string left = run_forked(leave_one);
  const std::string held = leave_one();
  ASSERT_NE(left, "");
  ASSERT_NE(held, "");
  remove_left_segments();
  EXPECT_FALSE(std::filesystem::exists(left)) << left;
  EXPECT_TRUE(std::filesystem::exists(held)) << held;
  std::filesystem::remove(held);
}

}  // namespace
}  // namespace feedrate::testing
