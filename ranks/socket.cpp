#include "ranks/socket.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <memory>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "core/error.h"
#include "host/text_file.h"

namespace feedrate {
namespace {

constexpr int kBacklog = 1024;
constexpr int kStopSlice = 50;  // ms

struct Address {
  sockaddr_storage storage{};
  socklen_t size = 0;

  [[nodiscard]] const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
  [[nodiscard]] sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
};

struct AddressesFree {
  void operator()(addrinfo* list) const noexcept { ::freeaddrinfo(list); }
};

struct InterfacesFree {
  void operator()(ifaddrs* list) const noexcept { ::freeifaddrs(list); }
};

std::vector<Address> resolve(const Endpoint& endpoint, std::string& problem) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  const std::string port = std::to_string(endpoint.port);
  const int code = ::getaddrinfo(endpoint.host.c_str(), port.c_str(), &hints, &list);
  if (code != 0) {
    problem = ::gai_strerror(code);
    return {};
  }
  const std::unique_ptr<addrinfo, AddressesFree> owner(list);
  std::vector<Address> addresses;
  for (const addrinfo* item = list; item != nullptr; item = item->ai_next) {
    Address& address = addresses.emplace_back();
    std::memcpy(&address.storage, item->ai_addr, item->ai_addrlen);
    address.size = item->ai_addrlen;
  }
  return addresses;
}

std::vector<Address> addresses_of(const Endpoint& endpoint) {
  if (endpoint.path.empty()) {
    std::string problem;
    auto addresses = resolve(endpoint, problem);
    if (addresses.empty()) {
      throw Error(fmt::format("{}: has no address: {}", endpoint.host, problem));
    }
    return addresses;
  }
  Address address;
  auto* const unix_address = reinterpret_cast<sockaddr_un*>(&address.storage);
  unix_address->sun_family = AF_UNIX;
  if (endpoint.path.size() >= sizeof unix_address->sun_path) {
    throw Error(
        fmt::format("{}: is too long for a socket's path, of which {} characters are the "
                    "most; TMPDIR says where such files lie",
                    endpoint.path, sizeof unix_address->sun_path - 1));
  }
  std::memcpy(unix_address->sun_path, endpoint.path.c_str(), endpoint.path.size() + 1);
  address.size = sizeof(sockaddr_un);
  return {address};
}

Endpoint in_digits(const Address& address) {
  std::array<char, NI_MAXHOST> host{};
  std::array<char, NI_MAXSERV> port{};
  if (address.storage.ss_family == AF_UNIX) return {};
  if (::getnameinfo(address.get(), address.size, host.data(), host.size(), port.data(), port.size(),
                    NI_NUMERICHOST | NI_NUMERICSERV) != 0) {
    return {};
  }
  return {.host = host.data(), .port = static_cast<int>(parse_unsigned(port.data()).value_or(0))};
}

Address name_of(int fd) {
  Address address;
  address.size = sizeof address.storage;
  if (::getsockname(fd, address.get(), &address.size) != 0) address.size = 0;
  return address;
}

UniqueFd open_socket(const Address& address) {
  const int type = SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC;
  UniqueFd fd(::socket(address.storage.ss_family, type, 0));
  if (fd.get() < 0) throw SystemError("a socket", "cannot be made", errno);
  return fd;
}

// A message goes at once. No TCP_USER_TIMEOUT: it would end the ring's connection to a rank that
// comes late to an all-reduce, too; a node that is gone gives no signs of life.
void set_options(int fd) {
  const int on = 1;
  static_cast<void>(::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on));
}

bool is_of_this_user(int fd) {
  ucred peer{};
  socklen_t size = sizeof peer;
  return ::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == ::geteuid();
}

int listen_at(const Address& address, UniqueFd& out) {
  UniqueFd fd = open_socket(address);
  const int on = 1;
  static_cast<void>(::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on));
  if (::bind(fd.get(), address.get(), address.size) != 0) return errno;
  if (::listen(fd.get(), kBacklog) != 0) return errno;
  out = std::move(fd);
  return 0;
}

bool is_past(Deadline deadline) { return std::chrono::steady_clock::now() >= deadline; }

// Until `events`, at most so long that a stop is noticed.
void wait_a_little(int fd, short events, const std::stop_token& stop) {
  if (stop.stop_requested()) throw Cancelled();
  pollfd item{.fd = fd, .events = events, .revents = 0};
  static_cast<void>(::poll(&item, 1, kStopSlice));
}

int finish_connect(int fd, Deadline deadline, const std::stop_token& stop) {
  for (;;) {
    pollfd item{.fd = fd, .events = POLLOUT, .revents = 0};
    if (::poll(&item, 1, 0) > 0) break;
    if (is_past(deadline)) return ETIMEDOUT;
    wait_a_little(fd, POLLOUT, stop);
  }
  int error = 0;
  socklen_t size = sizeof error;
  return ::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : errno;
}

bool is_loopback(const Address& address) {
  if (address.storage.ss_family == AF_INET) {
    const auto* const v4 = reinterpret_cast<const sockaddr_in*>(&address.storage);
    return (ntohl(v4->sin_addr.s_addr) >> 24) == 127;
  }
  const auto* const v6 = reinterpret_cast<const sockaddr_in6*>(&address.storage);
  return address.storage.ss_family == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&v6->sin6_addr) != 0;
}

bool is_link_local(const sockaddr* address) {
  const auto* const v6 = reinterpret_cast<const sockaddr_in6*>(address);
  return address->sa_family == AF_INET6 && IN6_IS_ADDR_LINKLOCAL(&v6->sin6_addr) != 0;
}

}  // namespace

std::string to_string(const Endpoint& endpoint) {
  if (!endpoint.path.empty()) return endpoint.path;
  const bool is_v6 = endpoint.host.find(':') != std::string::npos;
  return is_v6 ? fmt::format("[{}]:{}", endpoint.host, endpoint.port)
               : fmt::format("{}:{}", endpoint.host, endpoint.port);
}

std::optional<Endpoint> parse_endpoint(std::string_view text) {
  if (text.starts_with('/')) return Endpoint{.path = std::string(text)};
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto port = parse_unsigned(text.substr(colon + 1));
  std::string_view host = text.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  const std::string digits(host);
  in6_addr any{};
  const bool is_address = ::inet_pton(AF_INET, digits.c_str(), &any) == 1 ||
                          ::inet_pton(AF_INET6, digits.c_str(), &any) == 1;
  if (!is_address || !port || *port == 0 || *port > 65'535) return std::nullopt;
  return Endpoint{.host = digits, .port = static_cast<int>(*port)};
}

Listener::Listener(const Endpoint& endpoint) : endpoint_(endpoint) {
  int problem = 0;
  for (const Address& address : addresses_of(endpoint)) {
    problem = listen_at(address, fd_);
    if (problem == 0) break;
  }
  if (problem != 0) throw SystemError(to_string(endpoint), "cannot listen there", problem);
  if (!endpoint.path.empty()) {
    static_cast<void>(::chmod(endpoint.path.c_str(), S_IRUSR | S_IWUSR));
    return;
  }
  endpoint_ = in_digits(name_of(fd_.get()));
}

std::optional<UniqueFd> Listener::accept(std::string& from) {
  Address address;
  address.size = sizeof address.storage;
  UniqueFd fd(::accept4(fd_.get(), address.get(), &address.size, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (fd.get() < 0) return std::nullopt;
  if (!endpoint_.path.empty()) {
    from = endpoint_.path;
    if (!is_of_this_user(fd.get())) return std::nullopt;
    return fd;
  }
  from = to_string(in_digits(address));
  set_options(fd.get());
  return fd;
}

UniqueFd connect_to(const Endpoint& endpoint, Deadline deadline, const std::stop_token& stop) {
  int problem = 0;
  for (const Address& address : addresses_of(endpoint)) {
    UniqueFd fd = open_socket(address);
    const int done = ::connect(fd.get(), address.get(), address.size);
    problem = done == 0 ? 0 : errno;
    if (problem == EINPROGRESS) problem = finish_connect(fd.get(), deadline, stop);
    if (problem != 0) continue;
    if (endpoint.path.empty()) set_options(fd.get());
    return fd;
  }
  throw SystemError(to_string(endpoint), "cannot connect", problem);
}

std::string own_host(int fd) { return in_digits(name_of(fd)).host; }

std::optional<std::size_t> send_some(int fd, std::string_view bytes) {
  ssize_t sent = 0;
  do {
    sent = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  } while (sent < 0 && errno == EINTR);
  if (sent >= 0) return static_cast<std::size_t>(sent);
  if (errno == EAGAIN || errno == EWOULDBLOCK) return 0;
  return std::nullopt;
}

bool receive_some(int fd, std::string& to, std::size_t most) {
  const std::size_t before = to.size();
  to.resize(before + most);
  ssize_t received = 0;
  do {
    received = ::recv(fd, to.data() + before, most, MSG_DONTWAIT);
  } while (received < 0 && errno == EINTR);
  const int problem = errno;
  to.resize(before + (received > 0 ? static_cast<std::size_t>(received) : 0));
  return received > 0 || (received < 0 && (problem == EAGAIN || problem == EWOULDBLOCK));
}

void send_all(int fd, std::string_view bytes, const std::string& peer, Deadline deadline,
              const std::stop_token& stop) {
  while (!bytes.empty()) {
    const auto sent = send_some(fd, bytes);
    if (!sent) throw Error(fmt::format("{}: has closed the connection", peer));
    bytes.remove_prefix(*sent);
    if (bytes.empty()) return;
    if (is_past(deadline)) throw Error(fmt::format("{}: takes no bytes", peer));
    wait_a_little(fd, POLLOUT, stop);
  }
}

std::string receive_exactly(int fd, std::size_t size, const std::string& peer, Deadline deadline,
                            const std::stop_token& stop) {
  std::string bytes;
  for (;;) {
    if (!receive_some(fd, bytes, size - bytes.size())) {
      throw Error(fmt::format("{}: has closed the connection", peer));
    }
    if (bytes.size() == size) return bytes;
    if (is_past(deadline)) throw Error(fmt::format("{}: does not answer", peer));
    wait_a_little(fd, POLLIN, stop);
  }
}

std::vector<std::string> addresses_of_interfaces() {
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) != 0) return {};
  const std::unique_ptr<ifaddrs, InterfacesFree> owner(list);
  std::vector<std::string> addresses;
  for (const int family : {AF_INET, AF_INET6}) {
    for (const ifaddrs* item = list; item != nullptr; item = item->ifa_next) {
      if (item->ifa_addr == nullptr || item->ifa_addr->sa_family != family) continue;
      if ((item->ifa_flags & IFF_UP) == 0 || (item->ifa_flags & IFF_LOOPBACK) != 0) continue;
      if (is_link_local(item->ifa_addr)) continue;
      Address address;
      address.size = family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
      std::memcpy(&address.storage, item->ifa_addr, address.size);
      addresses.push_back(in_digits(address).host);
    }
  }
  return addresses;
}

bool is_loopback(const std::string& host) {
  std::string ignored;
  const auto addresses = resolve({.host = host}, ignored);
  return std::all_of(addresses.begin(), addresses.end(),
                     [](const Address& address) { return is_loopback(address); });
}

}  // namespace feedrate
