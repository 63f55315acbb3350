// SPDX-License-Identifier: Apache-2.0
#include "bench/engines/torch/fork_server.h"

#include <array>
#include <csignal>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "bench/engines/torch/job.h"
#include "core/error.h"

namespace feedrate {

ForkServer::ForkServer(const std::vector<std::string>& program,
                       const std::vector<std::string>& modules)
    : server_(start_python(program), torch_server_job(modules), stop_.get_token()) {}

PythonChild ForkServer::fork(const std::stop_token& stop) {
  const std::stop_callback give_up(stop, [this] { stop_.request_stop(); });
  if (!serves_) static_cast<void>(wait_for<TorchServing>());
  serves_ = true;
  ChildEnds ends = open_child_ends("a child of the Python fork server");
  const std::array<int, 2> descriptors{ends.their_socket.get(), ends.their_output.get()};
  server_.send("fork", descriptors);
  const pid_t child = wait_for<TorchForked>().process;
  return {std::move(ends.our_socket), std::move(ends.our_output),
          ChildProcess(child, [this, child] { return reap(child); })};
}

template <typename Message>
Message ForkServer::wait_for() {
  for (;;) {
    const TorchMessage message = server_.next();
    if (const auto* wanted = std::get_if<Message>(&message)) return *wanted;
  }
}

int ForkServer::reap(pid_t child) {
  try {
    server_.send(fmt::format("reap {}", child), {});
    return wait_for<TorchReaped>().wait_status;
  } catch (const Error&) {
    return SIGKILL;  // The kernel kills the children of a server that has ended.
  }
}

}  // namespace feedrate
