// SPDX-License-Identifier: Apache-2.0
#include "core/host/sockets.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <sys/socket.h>

#include "core/error.h"
#include "core/host/resource_limits.h"

namespace feedrate {
namespace {

// A packet is small compared to the buffer of a socket. A usual message, some hundred bytes, is
// one.
constexpr std::size_t kMaxPacketBytes = 32 * 1024;

// The buffer holds hundreds of results that are not yet read. The kernel limits it to
// net.core.wmem_max.
constexpr int kResultBufferBytes = 4 << 20;

struct PacketHeader {
  std::uint32_t worker = 0;
  std::uint16_t is_first = 1;
  std::uint16_t is_last = 1;
};

[[noreturn]] void fail(std::string_view action, int number) {
  throw SystemError("a worker's socket", action, number);
}

bool send_bytes(int socket, Bytes bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && (errno == EPIPE || errno == ECONNRESET)) return false;
    if (count < 0) fail("cannot send", errno);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return true;
}

bool receive_bytes(int socket, MutableBytes bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::recv(socket, bytes.data(), bytes.size(), MSG_WAITALL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == ECONNRESET) return false;
    if (count < 0) fail("cannot receive", errno);
    if (count == 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return true;
}

struct ControlBuffer {
  alignas(cmsghdr) std::array<char, CMSG_SPACE(kMaxDescriptors * sizeof(int))> bytes{};
};

void attach(msghdr& message, ControlBuffer& control, std::span<const int> descriptors) {
  if (descriptors.empty()) return;
  const std::size_t size = descriptors.size_bytes();
  message.msg_control = control.bytes.data();
  message.msg_controllen = CMSG_SPACE(size);
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(size);
  std::memcpy(CMSG_DATA(header), descriptors.data(), size);
}

std::vector<UniqueFd> detach(msghdr& message) {
  std::vector<UniqueFd> descriptors;
  for (cmsghdr* header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    std::array<int, kMaxDescriptors> numbers{};
    std::memcpy(numbers.data(), CMSG_DATA(header), count * sizeof(int));
    for (std::size_t i = 0; i < count; ++i) descriptors.emplace_back(numbers[i]);
  }
  return descriptors;
}

SendOutcome send_parts(int socket, std::span<iovec> parts, std::span<const int> descriptors) {
  msghdr message{};
  message.msg_iov = parts.data();
  message.msg_iovlen = parts.size();
  ControlBuffer control;
  attach(message, control, descriptors);
  while (::sendmsg(socket, &message, MSG_NOSIGNAL) < 0) {
    if (errno == ETOOMANYREFS) return SendOutcome::kTooManyInFlight;
    if (errno == EPIPE || errno == ECONNRESET) return SendOutcome::kNobodyThere;
    if (errno != EINTR) fail("cannot send a result", errno);
  }
  return SendOutcome::kSent;
}

iovec part_of(Bytes bytes) { return {const_cast<std::byte*>(bytes.data()), bytes.size()}; }

SendOutcome send_packet(int socket, PacketHeader header, Bytes part,
                        const std::vector<UniqueFd>& descriptors) {
  std::array<iovec, 2> parts{iovec{&header, sizeof(header)}, part_of(part)};
  std::array<int, kMaxDescriptors> numbers{};
  std::transform(descriptors.begin(), descriptors.end(), numbers.begin(),
                 [](const UniqueFd& descriptor) { return descriptor.get(); });
  return send_parts(socket, parts, std::span(numbers).first(descriptors.size()));
}

struct Packet {
  PacketHeader header;
  Bytes part;
  std::vector<UniqueFd> descriptors;
};

std::optional<Packet> receive_packet(int socket, MutableBytes room) {
  Packet packet;
  std::array<iovec, 2> parts{
      iovec{&packet.header, sizeof(packet.header)},
      iovec{room.data(), room.size()},
  };
  msghdr message{};
  message.msg_iov = parts.data();
  message.msg_iovlen = parts.size();
  ControlBuffer control;
  message.msg_control = control.bytes.data();
  message.msg_controllen = control.bytes.size();
  ssize_t count = 0;
  do {
    count = ::recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  } while (count < 0 && errno == EINTR);
  if (count < 0 && errno != EAGAIN) fail("cannot receive a result", errno);
  if (count < static_cast<ssize_t>(sizeof(PacketHeader))) return std::nullopt;
  packet.part = room.first(static_cast<std::size_t>(count) - sizeof(PacketHeader));
  packet.descriptors = detach(message);
  return packet;
}

}  // namespace

SocketPair make_sockets(std::string_view purpose, int type) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    const int number = errno;
    throw SystemError(purpose, "cannot make a pair of sockets" + hint_for(number), number);
  }
  return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

SocketPair make_task_sockets() { return make_sockets("tasks of a worker"); }

SocketPair make_result_sockets() {
  SocketPair sockets = make_sockets("results of the workers", SOCK_SEQPACKET);
  // Only root may exceed the limit. Errors are ignored: the default is enough for most settings.
  const int size = kResultBufferBytes;
  const int fd = sockets.worker.get();
  if (::setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &size, sizeof(size)) != 0) {
    static_cast<void>(::setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size)));
  }
  return sockets;
}

bool send_frame(int socket, Bytes message) {
  const std::uint64_t size = message.size();
  const Bytes prefix = std::as_bytes(std::span(&size, 1));
  std::vector<std::byte> frame(prefix.begin(), prefix.end());
  frame.insert(frame.end(), message.begin(), message.end());
  return send_bytes(socket, frame);
}

std::optional<std::vector<std::byte>> receive_frame(int socket) {
  std::uint64_t size = 0;
  if (!receive_bytes(socket, std::as_writable_bytes(std::span(&size, 1)))) return std::nullopt;
  std::vector<std::byte> message(size);
  if (!receive_bytes(socket, message)) return std::nullopt;
  return message;
}

SendOutcome send_with_descriptors(int socket, Bytes message, std::span<const int> descriptors) {
  iovec part = part_of(message);
  return send_parts(socket, {&part, 1}, descriptors);
}

SendOutcome send_result(int socket, std::uint32_t worker, Bytes message,
                        const std::vector<UniqueFd>& descriptors) {
  PacketHeader header{.worker = worker, .is_last = 0};
  for (; message.size() > kMaxPacketBytes; message = message.subspan(kMaxPacketBytes)) {
    const auto outcome = send_packet(socket, header, message.first(kMaxPacketBytes), {});
    if (outcome != SendOutcome::kSent) return outcome;
    header.is_first = 0;
  }
  header.is_last = 1;
  return send_packet(socket, header, message, descriptors);
}

std::optional<Arrived> ResultReceiver::try_receive(int socket) {
  packet_.resize(kMaxPacketBytes);
  while (std::optional<Packet> packet = receive_packet(socket, packet_)) {
    const std::size_t worker = packet->header.worker;
    if (worker >= begun_.size()) begun_.resize(worker + 1);
    std::vector<std::byte>& message = begun_[worker];
    if (packet->header.is_first != 0) message.clear();
    message.insert(message.end(), packet->part.begin(), packet->part.end());
    if (packet->header.is_last == 0) continue;
    return Arrived{std::exchange(message, {}), std::move(packet->descriptors)};
  }
  return std::nullopt;
}

}  // namespace feedrate
