// SPDX-License-Identifier: Apache-2.0
#include "bench/engines/torch/python_child.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/error.h"
#include "core/host/text_file.h"

extern char** environ;

namespace feedrate {
namespace {

constexpr int kChildSocket = 3;
constexpr auto kReapInterval = std::chrono::milliseconds(2);

void check(int error_number, const std::string& program) {
  if (error_number != 0) throw SystemError(program, "cannot be started", error_number);
}

void check_errno(int result, const std::string& program) {
  check(result == 0 ? 0 : errno, program);
}

void set_nonblocking(int descriptor, const std::string& program) {
  const int flags = ::fcntl(descriptor, F_GETFL);
  check_errno(::fcntl(descriptor, F_SETFL, flags | O_NONBLOCK), program);
}

// The descriptors that the child gets; what it is not given is closed on exec.
class FileActions {
 public:
  FileActions() { ::posix_spawn_file_actions_init(&actions_); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;
  ~FileActions() { ::posix_spawn_file_actions_destroy(&actions_); }

  void open_null(int as) {
    check(::posix_spawn_file_actions_addopen(&actions_, as, "/dev/null", O_RDONLY, 0), "/dev/null");
  }
  void pass(int descriptor, int as) {
    check(::posix_spawn_file_actions_adddup2(&actions_, descriptor, as), "posix_spawn");
  }
  [[nodiscard]] const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

// A group of its own, and none of the signal settings of this program.
class Attributes {
 public:
  Attributes() {
    ::posix_spawnattr_init(&attributes_);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    ::posix_spawnattr_setsigdefault(&attributes_, &all);
    ::posix_spawnattr_setpgroup(&attributes_, 0);
    ::posix_spawnattr_setflags(
        &attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;
  ~Attributes() { ::posix_spawnattr_destroy(&attributes_); }
  [[nodiscard]] const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_{};
};

pid_t spawn(const std::vector<std::string>& program, int socket, int output) {
  std::vector<char*> arguments;
  for (const std::string& word : program) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  FileActions files;
  files.open_null(STDIN_FILENO);
  files.pass(output, STDOUT_FILENO);
  files.pass(output, STDERR_FILENO);
  files.pass(socket, kChildSocket);
  const Attributes attributes;
  pid_t id = -1;
  check(::posix_spawn(&id, program.front().c_str(), files.get(), attributes.get(), arguments.data(),
                      environ),
        program.front());
  return id;
}

bool is_gone_or_zombie(pid_t process) {
  const auto stat = read_text(fmt::format("/proc/{}/stat", process));
  if (!stat) return ::kill(process, 0) != 0 && errno == ESRCH;
  const auto fields = stat_fields(*stat);
  return fields.empty() || fields.front() == "Z";
}

int wait_status_of(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

// Out of the way of the descriptors that dup2 makes in the child.
int moved_up(int descriptor, const std::string& program) {
  const UniqueFd old(descriptor);
  const int moved = ::fcntl(descriptor, F_DUPFD_CLOEXEC, kChildSocket + 1);
  if (moved < 0) check(errno, program);
  return moved;
}

}  // namespace

ChildEnds open_child_ends(const std::string& name) {
  std::array<int, 2> sockets{}, pipe{};
  check_errno(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets.data()), name);
  UniqueFd our_socket(sockets[0]);
  UniqueFd their_socket(moved_up(sockets[1], name));
  check_errno(::pipe2(pipe.data(), O_CLOEXEC), name);
  UniqueFd our_output(pipe[0]);
  UniqueFd their_output(moved_up(pipe[1], name));
  set_nonblocking(our_socket.get(), name);
  set_nonblocking(our_output.get(), name);
  return {std::move(our_socket), std::move(their_socket), std::move(our_output),
          std::move(their_output)};
}

PythonChild start_python(const std::vector<std::string>& program) {
  ChildEnds ends = open_child_ends(program.front());
  const pid_t id = spawn(program, ends.their_socket.get(), ends.their_output.get());
  return PythonChild({id, std::move(ends.our_socket), std::move(ends.our_output),
                      [id] { return wait_status_of(id); }});
}

PythonChild::~PythonChild() { end(); }

// It stays a zombie, and its number its own, until end() has killed the group of that number.
bool PythonChild::has_ended() const { return status_ || is_gone_or_zombie(started_.id); }

bool PythonChild::wait(Nanos patience) const {
  const auto limit = std::chrono::steady_clock::now() + patience;
  while (!has_ended()) {
    if (std::chrono::steady_clock::now() >= limit) return false;
    std::this_thread::sleep_for(kReapInterval);
  }
  return true;
}

void PythonChild::send(int signal) const {
  if (!status_) ::kill(started_.id, signal);
}

std::string PythonChild::end() {
  if (!status_) {
    ::kill(-started_.id, SIGKILL);
    status_ = started_.reap().value_or(SIGKILL);
  }
  return describe_end(*status_);
}

std::string describe_end(int wait_status) {
  if (WIFSIGNALED(wait_status)) {
    const int signal = WTERMSIG(wait_status);
    const char* hint = signal == SIGKILL ? "; the kernel does this when memory runs out" : "";
    return fmt::format("was killed by signal {} ({}{})", signal, ::strsignal(signal), hint);
  }
  return fmt::format("exited with code {}", WEXITSTATUS(wait_status));
}

}  // namespace feedrate
