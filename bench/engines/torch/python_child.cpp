// SPDX-License-Identifier: Apache-2.0
#include "bench/engines/torch/python_child.h"

#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "core/host/sockets.h"

namespace feedrate {
namespace {

constexpr int kChildSocket = 3;

UniqueFd nonblocking(UniqueFd descriptor) {
  ::fcntl(descriptor.get(), F_SETFL, ::fcntl(descriptor.get(), F_GETFL) | O_NONBLOCK);
  return descriptor;
}

}  // namespace

ChildEnds open_child_ends(const std::string& purpose) {
  SocketPair sockets = make_sockets(purpose);
  Pipe pipe = make_pipe();
  return {nonblocking(std::move(sockets.parent)), std::move(sockets.worker),
          nonblocking(std::move(pipe.reading)), std::move(pipe.writing)};
}

PythonChild start_python(const std::vector<std::string>& command) {
  ChildEnds ends = open_child_ends(command.front());
  const int output = ends.their_output.get();
  ChildProcess process({.words = command,
                        .descriptors = {{kNull, STDIN_FILENO},
                                        {output, STDOUT_FILENO},
                                        {output, STDERR_FILENO},
                                        {ends.their_socket.get(), kChildSocket}},
                        .has_own_group = true});
  return {std::move(ends.our_socket), std::move(ends.our_output), std::move(process)};
}

}  // namespace feedrate
