#include "ranks/ring.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <exception>
#include <optional>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include "core/error.h"
#include "ranks/handshake.h"

namespace feedrate {
namespace {

constexpr std::chrono::seconds kMeetLimit{30};
constexpr int kRingSlice = 50;  // ms

RankClaim claim_of(int rank, int size) {
  return {.rank = static_cast<std::uint32_t>(rank),
          .size = static_cast<std::uint32_t>(size),
          .purpose = Purpose::ring};
}

// Waits for the rank before this one, whatever strangers come instead.
UniqueFd accept_rank(Listener& listener, const std::string& secret, int rank, int size,
                     const Exchange& exchange, Deadline deadline, const std::stop_token& stop) {
  Doorkeeper door(listener, secret, {});
  while (std::chrono::steady_clock::now() < deadline) {
    for (Guest& guest : door.wait(std::chrono::milliseconds(kRingSlice))) {
      const bool is_awaited = guest.claim.purpose == Purpose::ring &&
                              guest.claim.rank == static_cast<std::uint32_t>(rank) &&
                              guest.claim.size == static_cast<std::uint32_t>(size);
      if (is_awaited) return std::move(guest.fd);
    }
    exchange.check();
    if (stop.stop_requested()) throw Cancelled();
  }
  throw Error(fmt::format("rank {}: does not connect to the next, though both reach rank 0", rank));
}

// A part of `bytes` went out; false at the end of the connection.
bool send_part(int fd, std::span<const std::byte>& bytes) {
  const auto sent = send_some(fd, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  if (sent) bytes = bytes.subspan(*sent);
  return sent.has_value();
}

bool receive_part(int fd, std::span<std::byte>& room) {
  const ssize_t received = ::recv(fd, room.data(), room.size(), MSG_DONTWAIT);
  if (received > 0) room = room.subspan(static_cast<std::size_t>(received));
  if (received >= 0) return received > 0;
  return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

}  // namespace

Ring::Ring(int rank, int size, Exchange& exchange, const Endpoint& own, const std::string& secret,
           const std::stop_token& stop)
    : rank_(rank), size_(size), exchange_(exchange) {
  Listener listener(own);
  const auto endpoints =
      exchange.call(Collective::all_gather, to_string(listener.endpoint()), 0, stop);
  const auto next = parse_endpoint(endpoints[static_cast<std::size_t>(wrap(rank + 1))]);
  if (!next) throw Error(fmt::format("rank {}: listens nowhere", wrap(rank + 1)));
  const Deadline deadline = std::chrono::steady_clock::now() + kMeetLimit;
  // Both at once: the next answers only while it waits for us.
  std::exception_ptr problem;
  std::jthread acceptor([&] {
    try {
      previous_ = accept_rank(listener, secret, wrap(rank - 1), size, exchange, deadline, stop);
    } catch (...) {
      problem = std::current_exception();
    }
  });
  next_ = knock(*next, secret, claim_of(rank, size), deadline, stop);
  acceptor.join();
  if (problem) std::rethrow_exception(problem);
}

void Ring::all_reduce(std::span<float> values, const std::stop_token& stop) {
  require_same_size(values.size(), stop);
  // After these turns each rank has the whole sum of one part, that of the rank behind it.
  for (int turn = 0; turn < size_ - 1; ++turn) {
    const std::span<float> sum = part(values, rank_ - turn - 1);
    received_.resize(sum.size());
    exchange_bytes(std::as_bytes(part(values, rank_ - turn)),
                   std::as_writable_bytes(std::span(received_)), stop);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += received_[i];
  }
  for (int turn = 0; turn < size_ - 1; ++turn) {
    exchange_bytes(std::as_bytes(part(values, rank_ - turn + 1)),
                   std::as_writable_bytes(part(values, rank_ - turn)), stop);
  }
}

std::span<float> Ring::part(std::span<float> values, int index) const {
  const auto at = static_cast<std::size_t>(wrap(index));
  const auto parts = static_cast<std::size_t>(size_);
  const std::size_t first = values.size() * at / parts;
  return values.subspan(first, values.size() * (at + 1) / parts - first);
}

void Ring::require_same_size(std::size_t count, const std::stop_token& stop) {
  const std::array<std::uint64_t, 1> own{count};
  std::array<std::uint64_t, 1> other{};
  exchange_bytes(std::as_bytes(std::span(own)), std::as_writable_bytes(std::span(other)), stop);
  if (own == other) return;
  throw Error(
      fmt::format("all_reduce(): rank {} gives {} numbers, rank {} {}: all must give as "
                  "many",
                  rank_, own[0], wrap(rank_ - 1), other[0]));
}

void Ring::exchange_bytes(std::span<const std::byte> out, std::span<std::byte> in,
                          const std::stop_token& stop) {
  while (!out.empty() || !in.empty()) {
    std::array<pollfd, 3> items{};
    items[0] = {.fd = out.empty() ? -1 : next_.get(), .events = POLLOUT, .revents = 0};
    items[1] = {.fd = in.empty() ? -1 : previous_.get(), .events = POLLIN, .revents = 0};
    items[2] = {.fd = exchange_.over_event(), .events = POLLIN, .revents = 0};
    static_cast<void>(::poll(items.data(), items.size(), kRingSlice));
    if (stop.stop_requested()) throw Cancelled();
    if (items[2].revents != 0) exchange_.check();
    if (items[0].revents != 0 && !send_part(next_.get(), out)) {
      exchange_.throw_loss(wrap(rank_ + 1), "has closed its connection to the rank before it");
    }
    if (items[1].revents != 0 && !receive_part(previous_.get(), in)) {
      exchange_.throw_loss(wrap(rank_ - 1), "has closed its connection to the rank behind it");
    }
  }
}

}  // namespace feedrate
