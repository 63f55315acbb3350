// SPDX-License-Identifier: Apache-2.0
// Starts Python in its own process group, with a socket to it.
#pragma once
#include <string>
#include <vector>

#include "core/host/process.h"
#include "core/unique_fd.h"

namespace feedrate {

/// Used by one thread, which must live as long as the child, see ChildProcess. Both descriptors are
/// non-blocking.
struct PythonChild {
  UniqueFd socket;  ///< to descriptor 3 of the child
  UniqueFd output;  ///< the child's standard output and error
  ChildProcess process;
};

/// Starts `command`. Standard input is /dev/null. Throws as ChildProcess does.
[[nodiscard]] PythonChild start_python(const std::vector<std::string>& command);

/// Both ends of the socket and of the pipe of a child. Only ours are non-blocking.
struct ChildEnds {
  UniqueFd our_socket, their_socket;
  UniqueFd our_output, their_output;
};

/// Throws SystemError, whose subject is `purpose`.
[[nodiscard]] ChildEnds open_child_ends(const std::string& purpose);

}  // namespace feedrate
