// SPDX-License-Identifier: Apache-2.0
// The parent's side of a worker process: the process, its socket, and the thread that sends tasks.
#pragma once
#include <cstddef>
#include <memory>
#include <vector>

#include "core/host/child_process.h"
#include "core/host/file.h"

namespace feedrate {

class TaskFeeder;

/// Used by one thread. The destructor ends the process, by force if end_tasks() was not enough.
class WorkerProcess {
 public:
  /// `tasks`: the parent's end of the child's socket.
  WorkerProcess(std::unique_ptr<ChildProcess> child, UniqueFd tasks);
  ~WorkerProcess();

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
  std::unique_ptr<ChildProcess> child_;
  UniqueFd tasks_;
  std::unique_ptr<TaskFeeder> feeder_;
};

}  // namespace feedrate
