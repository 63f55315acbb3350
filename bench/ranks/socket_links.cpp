// SPDX-License-Identifier: Apache-2.0
#include "bench/ranks/socket_links.h"

#include <algorithm>
#include <cerrno>
#include <exception>
#include <utility>

#include <poll.h>
#include <sys/socket.h>

#include "core/error.h"

namespace feedrate {
namespace {

using std::chrono::milliseconds;
using SteadyClockTime = std::chrono::steady_clock::time_point;

constexpr std::size_t kReadAtOnce = std::size_t{64} << 10;
constexpr int kSendPollMilliseconds = 50;  // A requested stop is noticed after it.

bool would_block() { return errno == EAGAIN || errno == EWOULDBLOCK; }

}  // namespace

SocketLinks::SocketLinks(int rank, std::vector<UniqueFd> sockets) : buffer_(kReadAtOnce) {
  for (UniqueFd& socket : sockets) {
    const int other = rank == 0 ? static_cast<int>(peers_.size()) + 1 : 0;
    peers_.push_back({.rank = other, .fd = std::move(socket)});
  }
}

SocketLinks::Peer& SocketLinks::peer(int rank) {
  return peers_.at(static_cast<std::size_t>(std::max(rank - 1, 0)));
}

void SocketLinks::send(int to, const Frame& frame, const std::stop_token& stop) {
  Peer& peer = this->peer(to);
  const std::string bytes = encode_frame(frame);
  std::string_view rest = bytes;
  while (!rest.empty() && peer.fd.get() >= 0) {
    const ssize_t sent =
        ::send(peer.fd.get(), rest.data(), rest.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) {
      rest.remove_prefix(static_cast<std::size_t>(sent));
    } else if (would_block()) {
      if (stop.stop_requested()) {
        if (rest.size() < bytes.size())
          peer.fd = UniqueFd();  // The peer cannot parse anything after a partial message.
        throw Cancelled();
      }
      pollfd item{.fd = peer.fd.get(), .events = POLLOUT, .revents = 0};
      static_cast<void>(::poll(&item, 1, kSendPollMilliseconds));
    } else if (errno != EINTR) {
      return;
    }
  }
}

void SocketLinks::try_send(int to, const Frame& frame) noexcept {
  try {
    Peer& peer = this->peer(to);
    if (peer.fd.get() < 0) return;
    const std::string bytes = encode_frame(frame);
    const ssize_t sent =
        ::send(peer.fd.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0 && static_cast<std::size_t>(sent) < bytes.size()) peer.fd = UniqueFd();
  } catch (const std::exception&) {
    return;  // Out of memory. The end of the connection will report it.
  }
}

std::optional<Links::Incoming> SocketLinks::receive(milliseconds longest) {
  const SteadyClockTime until = std::chrono::steady_clock::now() + longest;
  for (;;) {
    if (auto incoming = take_unread()) return incoming;
    if (!wait(until)) return std::nullopt;
    for (Peer& peer : peers_) {
      if (peer.fd.get() < 0 || read_some(peer)) continue;
      peer.fd = UniqueFd();
      return Incoming{peer.rank,
                      {.kind = FrameKind::ended,
                       .payload = "its connection has ended: it was killed, or has "
                                  "crashed"}};
    }
  }
}

std::optional<Links::Incoming> SocketLinks::take_unread() {
  for (Peer& peer : peers_) {
    std::size_t size = 0;
    auto frame = decode_frame(peer.unread, size);
    if (!frame) continue;
    peer.unread.erase(0, size);
    return Incoming{peer.rank, *std::move(frame)};
  }
  return std::nullopt;
}

bool SocketLinks::wait(SteadyClockTime until) {
  std::vector<pollfd> items;
  for (const Peer& peer : peers_) {
    items.push_back({.fd = peer.fd.get(), .events = POLLIN, .revents = 0});
  }
  const auto left = std::chrono::ceil<milliseconds>(until - std::chrono::steady_clock::now());
  const int timeout = static_cast<int>(std::max<milliseconds::rep>(left.count(), 0));
  return ::poll(items.data(), items.size(), timeout) > 0;
}

bool SocketLinks::read_some(Peer& peer) {
  const ssize_t received = ::recv(peer.fd.get(), buffer_.data(), buffer_.size(), MSG_DONTWAIT);
  if (received > 0) peer.unread.append(buffer_.data(), static_cast<std::size_t>(received));
  return received > 0 || (received < 0 && (would_block() || errno == EINTR));
}

}  // namespace feedrate
