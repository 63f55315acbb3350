// SPDX-License-Identifier: Apache-2.0
#include "training/listener.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "core/error.h"

namespace feedrate {
namespace {

constexpr std::size_t kMostBuffered = std::size_t{4} << 20;  // A message has at most some 600 kB.
constexpr Nanos kUntilNextTry = std::chrono::seconds(1);

UniqueFd listen_at(const std::filesystem::path& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string text = path.string();
  if (text.size() >= sizeof address.sun_path) {
    throw SystemError(text, "is too long for a socket; set TMPDIR to a shorter path", ENAMETOOLONG);
  }
  std::memcpy(address.sun_path, text.data(), text.size());
  UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (socket.get() < 0 ||
      ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(socket.get(), SOMAXCONN) != 0) {
    throw SystemError(text, "cannot listen", errno);
  }
  return socket;
}

}  // namespace

ScriptListener::ScriptListener(const std::filesystem::path& path) : socket_(listen_at(path)) {}

bool ScriptListener::receive(int other, Nanos patience, const OnScriptMessage& on_message) {
  const bool accepts = clock_.now() >= next_accept_;
  std::vector<pollfd> polled{{accepts ? socket_.get() : -1, POLLIN, 0}, {other, POLLIN, 0}};
  std::vector<std::size_t> numbers;
  for (const auto& [number, connection] : connections_) {
    polled.push_back({connection.socket.get(), POLLIN, 0});
    numbers.push_back(number);
  }
  const auto milliseconds = std::chrono::ceil<std::chrono::milliseconds>(patience).count();
  if (::poll(polled.data(), polled.size(), static_cast<int>(milliseconds)) <= 0) return false;
  bool has_come = false;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (polled[i + 2].revents == 0) continue;
    has_come = true;
    const auto found = connections_.find(numbers[i]);
    if (!read(found->first, found->second, on_message)) connections_.erase(found);
  }
  return (polled[0].revents != 0 && accept_all()) || has_come;
}

void ScriptListener::send(std::size_t connection, const std::string& line) {
  const auto found = connections_.find(connection);
  if (found == connections_.end()) return;
  const auto sent =
      ::send(found->second.socket.get(), line.data(), line.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  // Its earlier messages are still read; one may be on its way.
  if (sent != static_cast<ssize_t>(line.size())) ::shutdown(found->second.socket.get(), SHUT_RDWR);
}

// Without a descriptor or memory for a connection, it stays in the queue and would wake poll() at
// once again.
bool ScriptListener::accept_all() {
  const std::size_t before = next_;
  while (true) {
    UniqueFd socket(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (socket.get() >= 0) {
      connections_[next_++].socket = std::move(socket);
    } else if (errno != EINTR && errno != ECONNABORTED) {
      if (errno == EAGAIN) break;
      problem_ = fmt::format("a process of the script cannot be watched: {}", std::strerror(errno));
      next_accept_ = clock_.now() + kUntilNextTry;
      break;
    }
  }
  return next_ > before;
}

bool ScriptListener::read(std::size_t number, Connection& connection,
                          const OnScriptMessage& on_message) {
  std::array<char, 65536> part{};
  ssize_t count = 0;
  while ((count = ::recv(connection.socket.get(), part.data(), part.size(), 0)) > 0) {
    connection.buffer.append(part.data(), static_cast<std::size_t>(count));
    if (connection.buffer.size() > kMostBuffered) return false;
  }
  const bool is_open = count < 0 && (errno == EAGAIN || errno == EINTR);
  std::size_t begin = 0;
  try {
    for (std::size_t end = 0; (end = connection.buffer.find('\n', begin)) != std::string::npos;
         begin = end + 1) {
      on_message(number, parse_script_message(
                             std::string_view(connection.buffer).substr(begin, end - begin)));
    }
  } catch (const Error& error) {
    problem_ = error.what();
    return false;
  }
  connection.buffer.erase(0, begin);
  return is_open;
}

}  // namespace feedrate
