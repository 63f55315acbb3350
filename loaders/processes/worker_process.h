// SPDX-License-Identifier: Apache-2.0
// A worker process as its parent sees it: the process, the way to it, and the thread that feeds it.
#pragma once
#include <cstddef>
#include <memory>
#include <vector>

#include "core/host/child_process.h"
#include "core/host/file.h"

namespace feedrate {

class TaskFeeder;

/// One thread. The destructor ends the process, by force if end_tasks() was not enough.
class WorkerProcess {
 public:
  /// `tasks`: the parent's end of the socket to the child.
  WorkerProcess(std::unique_ptr<ChildProcess> child, UniqueFd tasks);
  ~WorkerProcess();

  /// Never blocks. The first one starts a thread, as multiprocessing.Queue does, so that none runs
  /// while other workers are forked.
  void send(std::vector<std::byte> message);
  /// The worker finds its end of file after what it has got already. What waits here is dropped.
  void end_tasks() noexcept;

  /// Hangs up (POLLHUP) when the process ends.
  [[nodiscard]] int socket() const noexcept { return tasks_.get(); }
  [[nodiscard]] ChildProcess& process() noexcept { return *child_; }

 private:
  std::unique_ptr<ChildProcess> child_;
  UniqueFd tasks_;
  std::unique_ptr<TaskFeeder> feeder_;
};

}  // namespace feedrate
