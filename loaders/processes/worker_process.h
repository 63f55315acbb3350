// SPDX-License-Identifier: Apache-2.0
// The parent's side of a worker process: the process, its socket, and the thread that sends tasks.
#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/host/process.h"
#include "core/queue.h"

namespace feedrate {

/// Used by one thread. The destructor ends the process, by force if end_tasks() was not enough.
class WorkerProcess {
 public:
  /// `tasks`: the parent's end of the child's socket.
  WorkerProcess(std::unique_ptr<ChildProcess> child, UniqueFd tasks)
      : child_(std::move(child)), tasks_(std::move(tasks)) {}
  ~WorkerProcess() { end_tasks(); }

  /// Never blocks. The first call starts a thread, as in multiprocessing.Queue, so that no such
  /// thread runs while other workers are forked.
  void send(std::vector<std::byte> message);
  /// Closes the worker's task socket: the worker reads EOF after the tasks already written. Drops
  /// tasks still queued.
  void end_tasks() noexcept;

  /// Reports POLLHUP when the process ends.
  [[nodiscard]] int socket() const noexcept { return tasks_.get(); }
  [[nodiscard]] ChildProcess& process() noexcept { return *child_; }

 private:
  // A message that cannot be sent ends the worker; the receiver reports its end.
  void feed(const std::stop_token& stop) noexcept;

  std::unique_ptr<ChildProcess> child_;
  UniqueFd tasks_;
  BlockingQueue<std::vector<std::byte>> messages_;
  std::jthread
      feeder_;  // Writes messages to a socket that may be full, so that send() never blocks.
};

/// Describes how worker `number` ended, the likely cause and what to do. `wait_status` is empty if
/// the worker has closed its socket and still runs.
[[nodiscard]] std::string describe_death(std::size_t number, pid_t pid,
                                         std::optional<int> wait_status);

}  // namespace feedrate
