// SPDX-License-Identifier: Apache-2.0
#include "bench/ranks/meeting.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "bench/ranks/socket_links.h"
#include "core/error.h"

namespace feedrate {
namespace {

namespace fs = std::filesystem;
using JoinDeadline = std::chrono::steady_clock::time_point;

constexpr std::chrono::milliseconds kJoinPollInterval{50};
constexpr timeval kHelloLimit{.tv_sec = 5, .tv_usec = 0};

struct Hello {
  int rank = 0;
  int size = 0;
};

// The job's name may be longer than a socket's path.
fs::path socket_file(const fs::path& folder, const std::string& job) {
  return folder / fmt::format("{:016x}.socket", std::hash<std::string>{}(job));
}

void make_private_folder(const fs::path& folder) {
  if (::mkdir(folder.c_str(), S_IRWXU) != 0 && errno != EEXIST) {
    throw SystemError(folder.string(), "cannot create the folder where ranks meet", errno);
  }
  struct stat status {};
  if (::lstat(folder.c_str(), &status) != 0) {
    throw SystemError(folder.string(), "cannot stat", errno);
  }
  if (!S_ISDIR(status.st_mode) || status.st_uid != ::geteuid() ||
      (status.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    throw ConfigError(fmt::format(
        "{}: ranks meet there, so it must be a folder that only you can use (mode 0700); set "
        "XDG_RUNTIME_DIR to such a folder",
        folder.string()));
  }
}

sockaddr_un address_of(const fs::path& file) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (file.native().size() >= sizeof address.sun_path) {
    throw ConfigError(
        fmt::format("{}: too long for the path of a socket; at most {} characters "
                    "are possible",
                    file.string(), sizeof address.sun_path - 1));
  }
  std::memcpy(address.sun_path, file.c_str(), file.native().size());
  return address;
}

UniqueFd make_socket(int more_flags) {
  UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | more_flags, 0));
  if (fd.get() < 0) throw SystemError("a socket", "cannot be made", errno);
  return fd;
}

bool is_of_this_user(int fd) {
  ucred peer{};
  socklen_t size = sizeof peer;
  return ::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == ::geteuid();
}

bool is_past(JoinDeadline deadline) { return std::chrono::steady_clock::now() >= deadline; }

// --- Rank 0 -------------------------------------------------------------------------------------

// A listening socket. Replaces the file of an earlier start; the destructor removes the file.
class MeetingSocket {
 public:
  explicit MeetingSocket(fs::path file) : file_(std::move(file)), fd_(make_socket(SOCK_NONBLOCK)) {
    const sockaddr_un address = address_of(file_);
    ::unlink(file_.c_str());
    if (::bind(fd_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
        ::listen(fd_.get(), SOMAXCONN) != 0) {
      throw SystemError(file_.string(), "cannot listen there", errno);
    }
  }
  MeetingSocket(const MeetingSocket&) = delete;
  MeetingSocket& operator=(const MeetingSocket&) = delete;
  ~MeetingSocket() { ::unlink(file_.c_str()); }

  [[nodiscard]] int fd() const noexcept { return fd_.get(); }
  /// Accepts one connection; returns -1 if there is none, or if it is another user's.
  [[nodiscard]] UniqueFd accept() const {
    UniqueFd fd(::accept4(fd_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    // These errors may pass: poll() would report the rank again at once.
    const bool is_transient = errno == EAGAIN || errno == EINTR || errno == ECONNABORTED;
    if (fd.get() < 0 && !is_transient)
      throw SystemError(file_.string(), "cannot accept a rank", errno);
    return fd.get() >= 0 && is_of_this_user(fd.get()) ? std::move(fd) : UniqueFd();
  }

 private:
  fs::path file_;
  UniqueFd fd_;
};

class Gathering {
 public:
  explicit Gathering(int size) : size_(size), ranks_(static_cast<std::size_t>(size) - 1) {}

  [[nodiscard]] bool is_complete() const {
    return std::ranges::none_of(ranks_, [](const UniqueFd& fd) { return fd.get() < 0; });
  }

  /// Waits for one poll interval and admits a rank. Throws RankLost, ConfigError.
  void wait(const MeetingSocket& meeting) {
    std::vector<pollfd> items{{.fd = meeting.fd(), .events = POLLIN, .revents = 0}};
    // Polls only for disconnection. Messages sent after joining are read later.
    for (const UniqueFd& fd : ranks_) {
      items.push_back({.fd = fd.get(), .events = POLLRDHUP, .revents = 0});
    }
    static_cast<void>(::poll(items.data(), items.size(), kJoinPollInterval.count()));
    for (std::size_t i = 1; i < items.size(); ++i) {
      if (items[i].revents == 0) continue;
      throw RankLost(static_cast<int>(i), "", "ended before all ranks had joined");
    }
    if (items.front().revents != 0) admit(meeting.accept());
  }

  /// The missing ranks: "2, 3".
  [[nodiscard]] std::string missing() const {
    constexpr std::size_t kMostNamed = 8;
    std::vector<std::size_t> absent;
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      if (ranks_[i].get() < 0) absent.push_back(i + 1);
    }
    const bool is_truncated = absent.size() > kMostNamed;
    if (is_truncated) absent.resize(kMostNamed);
    return fmt::format("{}{}", fmt::join(absent, ", "), is_truncated ? ", …" : "");
  }

  [[nodiscard]] std::vector<UniqueFd> take() { return std::move(ranks_); }

  /// Sends the failure to the ranks that have joined.
  void notify_all(const std::string& why) {
    if (refused_.get() >= 0) ranks_.push_back(std::move(refused_));
    const int count = static_cast<int>(ranks_.size());
    SocketLinks links(0, take());
    for (int i = 1; i <= count; ++i) {
      links.try_send(i, {.kind = FrameKind::failed, .payload = why});
    }
  }

 private:
  void admit(UniqueFd fd) {
    Hello hello;
    if (fd.get() < 0) return;
    ::setsockopt(fd.get(), SOL_SOCKET, SO_RCVTIMEO, &kHelloLimit, sizeof kHelloLimit);
    if (::recv(fd.get(), &hello, sizeof hello, MSG_WAITALL) != sizeof hello) return;
    std::string problem;
    if (hello.size != size_) {
      problem = fmt::format("rank {} was started as one of {}, rank 0 as one of {}", hello.rank,
                            hello.size, size_);
    } else if (hello.rank < 1 || hello.rank >= size_ || at(hello.rank).get() >= 0) {
      problem = fmt::format(
          "two processes claim that they are rank {}; the launcher's variables "
          "are the same in both",
          hello.rank);
    }
    if (problem.empty()) {
      at(hello.rank) = std::move(fd);
      return;
    }
    refused_ = std::move(fd);
    throw ConfigError(problem);
  }

  [[nodiscard]] UniqueFd& at(int rank) { return ranks_[static_cast<std::size_t>(rank) - 1]; }

  int size_;
  std::vector<UniqueFd> ranks_;  // Beginning with rank 1.
  UniqueFd refused_;
};

std::vector<UniqueFd> meet_as_root(const Launch& launch, const fs::path& file,
                                   std::chrono::seconds limit, const std::stop_token& stop) {
  const JoinDeadline deadline = std::chrono::steady_clock::now() + limit;
  const MeetingSocket meeting(file);
  Gathering gathering(launch.size);
  try {
    while (!gathering.is_complete()) {
      if (stop.stop_requested()) throw Cancelled();
      gathering.wait(meeting);
      if (gathering.is_complete() || !is_past(deadline)) continue;
      throw Error(
          fmt::format("rank {} did not join within {} s", gathering.missing(), limit.count()));
    }
  } catch (const Error& error) {
    gathering.notify_all(error.what());
    throw;
  }
  return gathering.take();
}

// --- Other ranks --------------------------------------------------------------------------------

std::vector<UniqueFd> meet_as_member(const Launch& launch, const fs::path& file,
                                     std::chrono::seconds limit, const std::stop_token& stop) {
  const JoinDeadline deadline = std::chrono::steady_clock::now() + limit;
  const sockaddr_un address = address_of(file);
  int problem = 0;
  while (!is_past(deadline)) {
    if (stop.stop_requested()) throw Cancelled();
    UniqueFd fd = make_socket(0);
    const Hello hello{.rank = launch.rank, .size = launch.size};
    if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
        ::send(fd.get(), &hello, sizeof hello, MSG_NOSIGNAL) == sizeof hello) {
      std::vector<UniqueFd> sockets;
      sockets.push_back(std::move(fd));
      return sockets;
    }
    problem = errno;
    std::this_thread::sleep_for(kJoinPollInterval);
  }
  throw SystemError(
      file.string(),
      fmt::format("rank {} did not find rank 0 there within {} s", launch.rank, limit.count()),
      problem);
}

}  // namespace

std::vector<UniqueFd> inherited_sockets(const Launch& launch) {
  const std::size_t expected = launch.rank == 0 ? static_cast<std::size_t>(launch.size) - 1 : 1;
  std::vector<UniqueFd> sockets;
  for (const int number : launch.sockets) {
    struct stat status {};
    const bool is_socket = ::fstat(number, &status) == 0 && S_ISSOCK(status.st_mode);
    if (is_socket && ::fcntl(number, F_SETFD, FD_CLOEXEC) == 0) sockets.emplace_back(number);
  }
  if (sockets.size() == expected) return sockets;
  throw ConfigError(
      "FEEDRATE_RANK_SOCKETS: names no sockets of this process; feedrate sets it for "
      "the ranks that it starts itself: unset it");
}

std::vector<UniqueFd> meet_on_node(const Launch& launch, const LocalGroupOptions& options,
                                   const std::stop_token& stop) {
  const fs::path folder = options.folder.empty() ? meeting_folder() : options.folder;
  make_private_folder(folder);
  const fs::path file = socket_file(folder, launch.job);
  return launch.rank == 0 ? meet_as_root(launch, file, options.join_limit, stop)
                          : meet_as_member(launch, file, options.join_limit, stop);
}

fs::path meeting_folder(const EnvironmentLookup& lookup) {
  // srun passes on the variable of the login node, whose folder may be missing on this node.
  fs::path parent = lookup("XDG_RUNTIME_DIR").value_or("");
  std::error_code ignored;
  if (!parent.is_absolute() || !fs::is_directory(parent, ignored)) parent = "/tmp";
  return parent / fmt::format("feedrate-ranks-{}", ::geteuid());
}

}  // namespace feedrate
