// SPDX-License-Identifier: Apache-2.0
// Transports of a batch from a worker process: where its memory is, and that none of it leaks.
#include "loaders/processes/transport/transport.h"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/owner_mark.h"
#include "loaders/worker_pool.h"
#include "tests/support/forked_test.h"
#include "tests/support/huge_pages.h"
#include "tests/support/process_facts.h"
#include "tests/support/scripted_dataset.h"
#include "tests/support/shared_gate.h"
#include "tests/support/transport_name.h"

namespace feedrate {
namespace {

using ::testing::ElementsAre;
using testing::process_facts;
using testing::ProcessFacts;
using testing::ScriptedDataset;
using testing::SharedGate;

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
                         ::testing::Values(Transport::kFresh, Transport::kFileSystem,
                                           Transport::kRing),
                         [](const auto& tested) { return testing::transport_name(tested.param); });

// Sender and receiver are in one process here.

TEST(FreshTransport, sends_a_segment_of_exact_size_that_has_no_name) {
  const auto transport = make_fresh_transport();
  const auto sender = transport->make_sender(0);
  auto tensor = sender->allocate(Tensor::kSamples, 5000);
  EXPECT_EQ(testing::process_facts().segments, 0);
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
  const auto sender = transport->make_sender(0);
  const auto before = process_facts();
  auto memory = transport->receive(sender->allocate(Tensor::kSamples, 100)->hand_over());
  EXPECT_EQ(process_facts().descriptors, before.descriptors + 1);
  memory.reset();
  EXPECT_EQ(process_facts(), before);
}

TEST(FileSystemTransport, sends_a_name_and_keeps_no_descriptor) {
  const auto transport = make_file_system_transport();
  const auto before = process_facts();
  auto memory =
      transport->receive(transport->make_sender(0)->allocate(Tensor::kSamples, 100)->hand_over());
  EXPECT_EQ(process_facts().descriptors, before.descriptors);
  EXPECT_EQ(process_facts().segments, before.segments + 1);
  memory.reset();
  EXPECT_EQ(process_facts(), before);
}

TEST(FileSystemTransport, reclaims_what_was_never_received) {
  const auto transport = make_file_system_transport();
  const auto before = process_facts();
  const TensorHandle lost = transport->make_sender(0)->allocate(Tensor::kSamples, 100)->hand_over();
  EXPECT_EQ(process_facts().segments, before.segments + 1);
  transport->reclaim();
  EXPECT_EQ(process_facts(), before);
}

class RingTransport : public ::testing::Test {
 protected:
  const std::unique_ptr<TensorTransport> transport_ =
      make_ring_transport({.workers = 2, .slots = 3, .sample_bytes = 100, .label_bytes = 16});
  const std::unique_ptr<TensorSender> sender_ = transport_->make_sender(1);

  std::shared_ptr<BatchMemory> send(Tensor tensor, std::size_t bytes) {
    return transport_->receive(sender_->allocate(tensor, bytes)->hand_over());
  }
};

TEST_F(RingTransport, uses_a_slot_again_once_its_batch_is_let_go) {
  auto first = send(Tensor::kSamples, 100);
  const std::byte* data = first->bytes().data();
  const auto second = send(Tensor::kSamples, 100);
  EXPECT_NE(second->bytes().data(), data);
  first.reset();
  EXPECT_EQ(send(Tensor::kSamples, 60)->bytes().data(), data);
}

TEST_F(RingTransport, takes_a_fresh_segment_when_all_slots_are_held) {
  std::vector<std::shared_ptr<BatchMemory>> held;
  std::set<const std::byte*> addresses;
  for (std::size_t i = 0; i < 5; ++i) {
    held.push_back(send(Tensor::kSamples, 100));
    held.push_back(send(Tensor::kLabels, 16));
    for (const auto& memory : {held.end()[-2], held.end()[-1]}) {
      std::fill(memory->bytes().begin(), memory->bytes().end(), static_cast<std::byte>(i));
      addresses.insert(memory->bytes().data());
    }
  }
  EXPECT_EQ(addresses.size(), 10U);
  for (std::size_t i = 0; i < 10; ++i) {
    EXPECT_THAT(held[i]->bytes(), ::testing::Each(static_cast<std::byte>(i / 2)));
  }
}

TEST_F(RingTransport, takes_a_fresh_segment_for_what_no_slot_can_hold) {
  EXPECT_EQ(send(Tensor::kSamples, 10'000)->bytes().size(), 10'000U);
}

TEST_F(RingTransport, slots_of_two_workers_do_not_overlap) {
  const auto other = transport_->make_sender(0);
  std::vector<std::shared_ptr<BatchMemory>> held;
  for (std::size_t i = 0; i < 3; ++i) {
    held.push_back(send(Tensor::kSamples, 100));
    held.push_back(transport_->receive(other->allocate(Tensor::kSamples, 100)->hand_over()));
    held.push_back(send(Tensor::kLabels, 16));
  }
  for (std::size_t i = 0; i < held.size(); ++i) {
    std::fill(held[i]->bytes().begin(), held[i]->bytes().end(), static_cast<std::byte>(i));
  }
  for (std::size_t i = 0; i < held.size(); ++i) {
    EXPECT_THAT(held[i]->bytes(), ::testing::Each(static_cast<std::byte>(i)));
  }
}

TEST_F(RingTransport, gives_back_the_slot_of_a_batch_that_failed) {
  const std::byte* data = sender_->allocate(Tensor::kSamples, 100)->bytes().data();
  EXPECT_EQ(sender_->allocate(Tensor::kSamples, 100)->bytes().data(), data);
}

TEST_F(RingTransport, reclaims_the_slots_of_killed_workers_but_not_those_of_batches_held) {
  const auto held = send(Tensor::kSamples, 100);
  const auto lost = sender_->allocate(Tensor::kSamples, 100);
  const std::byte* data = lost->bytes().data();
  static_cast<void>(lost->hand_over());
  transport_->reclaim();
  const auto next = send(Tensor::kSamples, 100);
  EXPECT_EQ(next->bytes().data(), data);
}

TEST_F(RingTransport, rejects_an_invalid_slot) {
  EXPECT_THROW(static_cast<void>(transport_->receive({.bytes = 1, .address = "12"})), Error);
  EXPECT_THROW(static_cast<void>(transport_->receive({.bytes = 1, .address = "x"})), Error);
  EXPECT_THROW(static_cast<void>(transport_->receive({.bytes = 1 << 20, .address = "1"})), Error);
}

// Wherever the ring begins, it contains a whole huge page from 2 MiB on.
TEST_F(RingTransport, asks_for_huge_pages_where_its_slots_are_large) {
  constexpr std::size_t kHuge = std::size_t{2} << 20;
  const auto ring =
      make_ring_transport({.workers = 1, .slots = 2, .sample_bytes = 3 * kHuge, .label_bytes = 8});
  const auto tensor = ring->make_sender(0)->allocate(Tensor::kSamples, 3 * kHuge);
  const auto asks = testing::asks_for_huge_pages(tensor->bytes().data() + kHuge);
  if (!asks) GTEST_SKIP() << "this kernel has no huge pages, or /proc/self/smaps has no flags";
  EXPECT_TRUE(*asks);
}

TEST(LeftSegments, of_a_process_that_is_gone_are_removed_and_no_others) {
  const auto leave_one = [] {
    const std::string path = fmt::format("/dev/shm/feedrate_{}_0_0", owner_mark());
    return std::ofstream(path).put('x').flush() ? path : std::string();
  };
  const std::string left = testing::run_forked(leave_one);
  const std::string held = leave_one();
  ASSERT_NE(left, "");
  ASSERT_NE(held, "");
  remove_left_segments();
  EXPECT_FALSE(std::filesystem::exists(left)) << left;
  EXPECT_TRUE(std::filesystem::exists(held)) << held;
  std::filesystem::remove(held);
}

}  // namespace
}  // namespace feedrate
