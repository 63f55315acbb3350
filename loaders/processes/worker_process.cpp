// SPDX-License-Identifier: Apache-2.0
#include "loaders/processes/worker_process.h"

#include <system_error>
#include <thread>
#include <utility>

#include <sys/socket.h>

#include "core/error.h"
#include "core/host/resource_limits.h"
#include "core/host/sockets.h"
#include "core/queue.h"

namespace feedrate {

/// Writes messages to a socket that may be full, so that send() never blocks.
class TaskFeeder {
 public:
  explicit TaskFeeder(int socket)
      : thread_([this, socket](const std::stop_token& stop) { run(socket, stop); }) {}

  void push(std::vector<std::byte> message) { messages_.push(std::move(message)); }

 private:
  // A message that cannot be sent ends the worker; the receiver reports its end.
  void run(int socket, const std::stop_token& stop) noexcept {
    try {
      while (const auto message = messages_.pop(stop)) {
        if (stop.stop_requested() || !send_frame(socket, *message)) return;
      }
    } catch (const std::exception&) {
      ::shutdown(socket, SHUT_WR);
    }
  }

  BlockingQueue<std::vector<std::byte>> messages_;
  std::jthread thread_;  // Last member: joined before the queue is destroyed.
};

WorkerProcess::WorkerProcess(std::unique_ptr<ChildProcess> child, UniqueFd tasks)
    : child_(std::move(child)), tasks_(std::move(tasks)) {}

WorkerProcess::~WorkerProcess() { end_tasks(); }

void WorkerProcess::send(std::vector<std::byte> message) {
  if (!feeder_) try {
      feeder_ = std::make_unique<TaskFeeder>(tasks_.get());
    } catch (const std::system_error& error) {
      const int number = error.code().value();
      throw SystemError("the thread that sends tasks to a worker",
                        "cannot start" + hint_for(number), number);
    }
  feeder_->push(std::move(message));
}

// Uses shutdown() because other child processes may have copies of the descriptor; it also wakes a
// feeder whose socket is full.
void WorkerProcess::end_tasks() noexcept {
  ::shutdown(tasks_.get(), SHUT_WR);
  feeder_.reset();
}

}  // namespace feedrate
