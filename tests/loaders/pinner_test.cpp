// SPDX-License-Identifier: Apache-2.0
// The pin thread without the protocol: serial, eager, in the order of arrival.
#include "loaders/pinner.h"

#include <condition_variable>
#include <mutex>

#include <gtest/gtest.h>

#include "core/error.h"
#include "device/host_memory.h"
#include "tests/support/test_device.h"

namespace feedrate::testing {
namespace {

// Workers that send the test's messages.
class ScriptedWorkers final : public WorkerPool {
 public:
  using Message = std::variant<WorkerMessage, std::exception_ptr>;

  void start() override {}
  bool is_running() const noexcept override { return true; }
  void send(std::size_t, BatchTask) override {}
  void resume(std::size_t) override {}
  void stop() noexcept override {}
  std::optional<WorkerMessage> receive(const std::stop_token& stop, Nanos timeout) override {
    std::optional<Message> message = messages.pop(stop, timeout);
    if (!message) throw Cancelled();
    if (auto* error = std::get_if<std::exception_ptr>(&*message)) std::rethrow_exception(*error);
    return std::get<WorkerMessage>(std::move(*message));
  }

  BlockingQueue<Message> messages;
};

WorkerMessage result(std::uint64_t sequence, std::size_t bytes) {
  Batch batch;
  batch.sequence = sequence;
  batch.buffer = std::make_shared<OwnedMemory>(allocate_pageable(bytes));
  batch.bytes_used = bytes;
  std::fill(batch.bytes().begin(), batch.bytes().end(), std::byte(sequence + 1));
  return BatchResult{sequence, 0, {}, std::move(batch)};
}

Batch& batch_of(WorkerMessage& message) {
  return std::get<Batch>(std::get<BatchResult>(message).outcome);
}

class PinThreadTest : public ::testing::Test {
 protected:
  SteadyClock clock_;
  std::unique_ptr<Device> device_ = make_ideal_device(clock_);
  Pinner pinner_{*device_, {}, clock_};
  ScriptedWorkers workers_;
};

TEST_F(PinThreadTest, hands_on_what_comes_in_its_order_pinned) {
  PinThread thread(workers_, pinner_, clock_);
  for (const std::uint64_t sequence : {2U, 0U, 1U}) workers_.messages.push(result(sequence, 100));
  for (const std::uint64_t sequence : {2U, 0U, 1U}) {
    std::optional<WorkerMessage> message = thread.receive({}, Nanos(0));
    const Batch& batch = batch_of(*message);
    EXPECT_EQ(batch.sequence, sequence);
    EXPECT_EQ(batch.buffer->kind(), HostMemory::kPinned);
    EXPECT_EQ(batch.bytes().size(), 100U);
    EXPECT_EQ(batch.bytes()[99], std::byte(sequence + 1));
  }
}

// All batches are pinned although nobody asks for one: each has its own block.
TEST_F(PinThreadTest, pins_before_anybody_asks) {
  PinThread thread(workers_, pinner_, clock_);
  for (std::uint64_t sequence = 0; sequence < 5; ++sequence) {
    workers_.messages.push(result(sequence, 4096));
  }
  workers_.messages.push(Resumed{0});
  while (device_->pinned_bytes() < 5 * 4096U) std::this_thread::yield();
  std::optional<WorkerMessage> first = thread.receive({}, Nanos(0));
  EXPECT_EQ(batch_of(*first).sequence, 0U);
}

TEST_F(PinThreadTest, passes_answers_and_errors_on_untouched) {
  PinThread thread(workers_, pinner_, clock_);
  workers_.messages.push(Resumed{3});
  workers_.messages.push(
      BatchResult{0, 0, {}, std::make_exception_ptr(FormatError("record 9 is damaged"))});
  EXPECT_EQ(std::get<Resumed>(*thread.receive({}, Nanos(0))).worker, 3U);
  const std::optional<WorkerMessage> message = thread.receive({}, Nanos(0));
  const auto& outcome = std::get<BatchResult>(*message).outcome;
  EXPECT_THROW(std::rethrow_exception(std::get<std::exception_ptr>(outcome)), FormatError);
}

TEST_F(PinThreadTest, a_death_comes_before_waiting_batches_and_stays) {
  PinThread thread(workers_, pinner_, clock_);
  workers_.messages.push(result(0, 64));
  while (device_->pinned_bytes() < 64) std::this_thread::yield();
  workers_.messages.push(std::make_exception_ptr(WorkerDied("worker 0 is gone")));
  const auto receive = [&] { static_cast<void>(thread.receive({}, Nanos(0))); };
  // The batch may be returned before the death, but not twice and never after it.
  try {
    receive();
  } catch (const WorkerDied&) {
  }
  EXPECT_THROW(receive(), WorkerDied);
  EXPECT_THROW(receive(), WorkerDied);
}

TEST_F(PinThreadTest, gives_up_after_the_timeout_and_at_a_stop) {
  PinThread thread(workers_, pinner_, clock_);
  EXPECT_FALSE(thread.receive({}, std::chrono::milliseconds(1)));
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW(static_cast<void>(thread.receive(stop.get_token(), Nanos(0))), Cancelled);
}

TEST_F(PinThreadTest, ends_while_nothing_comes) { PinThread thread(workers_, pinner_, clock_); }

}  // namespace
}  // namespace feedrate::testing
