// SPDX-License-Identifier: Apache-2.0
#include "loaders/processes/worker_process.h"

#include <csignal>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "core/error.h"
#include "core/host/resource_limits.h"
#include "core/host/sockets.h"

namespace feedrate {
namespace {

std::string advice_for(int wait_status) {
  if (wait_status == kLostStatus) return "";
  if (!WIFSIGNALED(wait_status))
    return "; details are lost; with num_workers 0 the error occurs in the main process";
  switch (WTERMSIG(wait_status)) {
    case SIGKILL:
      return "; dmesg shows whether memory ran out; fewer workers need less memory";
    case SIGBUS:
      return "; shared memory ran out, or an LMDB file was truncated; " + shared_memory_hint();
    case SIGSEGV:
      return "; with num_workers 0 the error occurs in the main process, under a debugger";
    default:
      return "";
  }
}

}  // namespace

void WorkerProcess::feed(const std::stop_token& stop) noexcept {
  try {
    while (const auto message = messages_.pop(stop)) {
      if (stop.stop_requested() || !send_frame(tasks_.get(), *message)) return;
    }
  } catch (const std::exception&) {
    ::shutdown(tasks_.get(), SHUT_WR);
  }
}

void WorkerProcess::send(std::vector<std::byte> message) {
  if (!feeder_.joinable()) try {
      feeder_ = std::jthread([this](const std::stop_token& stop) { feed(stop); });
    } catch (const std::system_error& error) {
      const int number = error.code().value();
      throw SystemError("the thread that sends tasks to a worker",
                        "cannot start" + hint_for(number), number);
    }
  messages_.push(std::move(message));
}

// Uses shutdown() because other child processes may have copies of the descriptor; it also wakes a
// feeder whose socket is full.
void WorkerProcess::end_tasks() noexcept {
  ::shutdown(tasks_.get(), SHUT_WR);
  feeder_ = {};  // Joins it.
}

std::string describe_death(std::size_t number, pid_t pid, std::optional<int> wait_status) {
  const int status = wait_status.value_or(kLostStatus);
  return fmt::format("worker process {} (pid {}) {}{}", number, pid, describe_end(status),
                     advice_for(status));
}

}  // namespace feedrate
