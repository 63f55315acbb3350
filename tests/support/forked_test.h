// SPDX-License-Identifier: Apache-2.0
// Runs part of a test in a child process, which may lower limits or mount file systems.
#pragma once
#include <array>
#include <exception>
#include <fstream>
#include <functional>
#include <string>

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

namespace feedrate::testing {

/// Returns the result of `body`, or "threw: " and the message of its exception. Expectations do not
/// work in `body`, and the child has only the calling thread.
inline std::string run_forked(const std::function<std::string()>& body) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) return "no pipe";
  const pid_t child = ::fork();
  if (child == 0) {
    std::string said;
    try {
      said = body();
    } catch (const std::exception& error) {
      said = std::string("threw: ") + error.what();
    }
    const bool written =
        ::write(ends[1], said.data(), said.size()) == static_cast<ssize_t>(said.size());
    ::_exit(written ? 0 : 1);
  }
  ::close(ends[1]);
  std::string said;
  std::array<char, 4096> part{};
  for (ssize_t count = 0; (count = ::read(ends[0], part.data(), part.size())) > 0;) {
    said.append(part.data(), static_cast<std::size_t>(count));
  }
  ::close(ends[0]);
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "wait status " << status;
  return said;
}

/// Mounts a private /dev/shm of `size` ("1m"). Returns false if the system forbids it.
inline bool mount_own_shared_memory(const std::string& size) {
  const bool is_root = ::geteuid() == 0;
  const std::string user = "0 " + std::to_string(::geteuid()) + " 1";
  const std::string group = "0 " + std::to_string(::getegid()) + " 1";
  if (::unshare(is_root ? CLONE_NEWNS : CLONE_NEWNS | CLONE_NEWUSER) != 0) return false;
  if (!is_root) {
    std::ofstream("/proc/self/setgroups") << "deny";
    std::ofstream("/proc/self/uid_map") << user;
    std::ofstream("/proc/self/gid_map") << group;
  }
  return ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         ::mount("tmpfs", "/dev/shm", "tmpfs", 0, ("size=" + size).c_str()) == 0;
}

}  // namespace feedrate::testing
