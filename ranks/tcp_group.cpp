#include "ranks/tcp_group.h"

#include <cerrno>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include "core/error.h"
#include "host/text_file.h"
#include "ranks/exchange.h"
#include "ranks/handshake.h"
#include "ranks/meeting.h"
#include "ranks/ring.h"

namespace feedrate {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kSlice{50};

/// What joining gives.
struct Joined {
  std::vector<Exchange::Peer> peers;
  std::string secret;
  Endpoint ring;  ///< where this rank may listen for the one before it
};

RankClaim claim_of(const Launch& launch) {
  return {.rank = static_cast<std::uint32_t>(launch.rank),
          .size = static_cast<std::uint32_t>(launch.size),
          .purpose = Purpose::control};
}

// --- Rank 0 -------------------------------------------------------------------------------------

// Also where signs of life have come before that nobody has read yet.
bool has_hung_up(int fd) {
  pollfd item{.fd = fd, .events = POLLRDHUP, .revents = 0};
  return ::poll(&item, 1, 0) > 0;
}

class Gathering {
 public:
  explicit Gathering(int size) : ranks_(static_cast<std::size_t>(size)) {}

  [[nodiscard]] bool is_whole() const { return come_ + 1 == ranks_.size(); }

  void add(Guest guest) {
    if (guest.claim.size != ranks_.size()) {
      refuse(guest, fmt::format("rank {} was started as one of {}, rank 0 as one of {}",
                                guest.claim.rank, guest.claim.size, ranks_.size()));
    }
    if (guest.claim.rank == 0 || guest.claim.rank >= ranks_.size() ||
        ranks_[guest.claim.rank].get() >= 0) {
      refuse(guest, fmt::format("two processes say that they are rank {}; the launcher's variables "
                                "are the same in both",
                                guest.claim.rank));
    }
    ranks_[guest.claim.rank] = std::move(guest.fd);
    ++come_;
  }

  void require_alive() const {
    for (std::size_t rank = 1; rank < ranks_.size(); ++rank) {
      if (ranks_[rank].get() >= 0 && has_hung_up(ranks_[rank].get())) {
        throw RankLost(static_cast<int>(rank), "", "has ended before all ranks had come");
      }
    }
  }

  // "2, 3"
  [[nodiscard]] std::string missing() const {
    constexpr std::size_t kMostNamed = 8;
    std::vector<std::size_t> absent;
    for (std::size_t rank = 1; rank < ranks_.size(); ++rank) {
      if (ranks_[rank].get() < 0) absent.push_back(rank);
    }
    const bool is_cut = absent.size() > kMostNamed;
    if (is_cut) absent.resize(kMostNamed);
    return fmt::format("{}{}", fmt::join(absent, ", "), is_cut ? ", …" : "");
  }

  void tell(const std::string& why) const {
    const std::string frame = encode_frame({.kind = FrameKind::failed, .payload = why});
    for (const UniqueFd& fd : ranks_) {
      if (fd.get() >= 0) static_cast<void>(send_some(fd.get(), frame));
    }
  }

  [[nodiscard]] std::vector<Exchange::Peer> take() {
    std::vector<Exchange::Peer> peers;
    for (std::size_t rank = 1; rank < ranks_.size(); ++rank) {
      peers.push_back({.rank = static_cast<int>(rank), .fd = std::move(ranks_[rank])});
    }
    return peers;
  }

 private:
  [[noreturn]] static void refuse(const Guest& guest, const std::string& why) {
    static_cast<void>(
        send_some(guest.fd.get(), encode_frame({.kind = FrameKind::failed, .payload = why})));
    throw ConfigError(why);
  }

  std::vector<UniqueFd> ranks_;
  std::size_t come_ = 0;
};

void gather(Gathering& gathering, Doorkeeper& door, const TcpGroupOptions& options,
            const std::stop_token& stop) {
  const Deadline deadline = std::chrono::steady_clock::now() + options.join_limit;
  while (!gathering.is_whole()) {
    if (stop.stop_requested()) throw Cancelled();
    for (Guest& guest : door.wait(kSlice)) gathering.add(std::move(guest));
    gathering.require_alive();
    if (gathering.is_whole() || std::chrono::steady_clock::now() < deadline) continue;
    throw Error(fmt::format("rank {} did not come within {} s; {} connection(s) were turned away",
                            gathering.missing(), options.join_limit.count(), door.turned_away()));
  }
}

// Where a rank waits for the one before it: beside the Unix socket of rank 0, or at the address by
// which it reaches rank 0.
Endpoint ring_endpoint(const Launch& launch, const Endpoint& meeting, const std::string& own) {
  if (meeting.path.empty()) return {.host = own, .port = 0};
  return {.path = fmt::format("{}-ring-{}", meeting.path, launch.rank)};
}

Joined join_as_root(const Launch& launch, const TcpGroupOptions& options,
                    const std::stop_token& stop) {
  OpenMeeting meeting = open_meeting(launch, options.folder);
  Doorkeeper door(meeting.listener, meeting.secret, options.warn);
  Gathering gathering(launch.size);
  try {
    gather(gathering, door, options, stop);
  } catch (const Error& error) {
    gathering.tell(error.what());
    throw;
  }
  const Endpoint& endpoint = meeting.listener.endpoint();
  return {.peers = gathering.take(),
          .secret = meeting.secret,
          .ring = ring_endpoint(launch, endpoint, endpoint.host)};
}

// --- The others ---------------------------------------------------------------------------------

std::optional<Joined> try_to_join(const Launch& launch, const TcpGroupOptions& options,
                                  Deadline deadline, const std::stop_token& stop,
                                  std::string& problem) {
  const auto told = meeting_of(launch);
  try {
    const Meeting meeting =
        told ? *told : read_meeting_file(meeting_file(options.folder, launch.job));
    UniqueFd fd = knock(meeting.endpoint, meeting.secret, claim_of(launch), deadline, stop);
    Joined joined{.peers = {}, .secret = meeting.secret, .ring = {}};
    joined.ring = ring_endpoint(launch, meeting.endpoint, own_host(fd.get()));
    joined.peers.push_back({.rank = 0, .fd = std::move(fd)});
    return joined;
  } catch (const Cancelled&) {
    throw;
  } catch (const ConfigError&) {
    throw;
  } catch (const NotOurs& error) {
    // A file may be of an earlier start and be replaced soon; what the environment says stays.
    if (told) throw ConfigError(error.what());
    problem = error.what();
  } catch (const Error& error) {
    problem = error.what();
  }
  return std::nullopt;
}

void pause(const std::stop_token& stop) {
  if (stop.stop_requested()) throw Cancelled();
  std::this_thread::sleep_for(kSlice);
}

Joined join_as_member(const Launch& launch, const TcpGroupOptions& options,
                      const std::stop_token& stop) {
  const Deadline deadline = std::chrono::steady_clock::now() + options.join_limit;
  std::string problem;
  do {
    if (auto joined = try_to_join(launch, options, deadline, stop, problem))
      return *std::move(joined);
    pause(stop);
  } while (std::chrono::steady_clock::now() < deadline);
  throw Error(fmt::format("rank {} did not find rank 0 within {} s: {}", launch.rank,
                          options.join_limit.count(), problem));
}

// --- The group ----------------------------------------------------------------------------------

RankPlace parse_place(const std::string& text) {
  const std::size_t space = text.find(' ');
  const auto local = parse_unsigned(text.substr(0, space));
  if (space == std::string::npos || !local || *local > 1 << 16) {
    throw Error(fmt::format("a rank's place: '{}' is none", text.substr(0, 60)));
  }
  return {.local_rank = static_cast<int>(*local), .node = text.substr(space + 1)};
}

class TcpGroup final : public RankGroup {
 public:
  TcpGroup(const Launch& launch, Joined joined, const std::stop_token& stop)
      : rank_(launch.rank),
        size_(launch.size),
        secret_(std::move(joined.secret)),
        ring_endpoint_(std::move(joined.ring)),
        exchange_(launch.rank, launch.size, std::move(joined.peers)) {
    const std::string own = fmt::format("{} {}", launch.local_rank, launch.node);
    std::vector<std::string> nodes;
    for (const std::string& text : exchange_.call(Collective::all_gather, own, 0, stop)) {
      places_.push_back(parse_place(text));
      nodes.push_back(places_.back().node);
    }
    exchange_.set_nodes(std::move(nodes));
  }

  [[nodiscard]] int rank() const noexcept override { return rank_; }
  [[nodiscard]] int size() const noexcept override { return size_; }
  [[nodiscard]] const std::vector<RankPlace>& places() const noexcept override { return places_; }
  [[nodiscard]] std::string data_path() const override {
    return ring_endpoint_.path.empty() ? "TCP" : "Unix sockets";
  }

  void barrier(const std::stop_token& stop) override {
    static_cast<void>(exchange_.call(Collective::barrier, "", 0, stop));
  }
  std::vector<std::string> all_gather(std::string own, const std::stop_token& stop) override {
    return exchange_.call(Collective::all_gather, std::move(own), 0, stop);
  }
  std::vector<std::string> gather(std::string own, const std::stop_token& stop) override {
    auto parts = exchange_.call(Collective::gather, std::move(own), 0, stop);
    if (rank_ != 0) parts.clear();
    return parts;
  }
  std::string broadcast(std::string own, int root, const std::stop_token& stop) override {
    if (rank_ != root) own.clear();
    return std::move(exchange_.call(Collective::broadcast, std::move(own), root, stop).front());
  }
  bool agree(bool ok, const std::stop_token& stop) override {
    return exchange_.call(Collective::agree, ok ? "yes" : "no", 0, stop).front() == "yes";
  }
  void all_reduce(std::span<float> values, const std::stop_token& stop) override {
    if (!ring_) ring_.emplace(rank_, size_, exchange_, ring_endpoint_, secret_, stop);
    ring_->all_reduce(values, stop);
  }
  void check() const override { exchange_.check(); }
  void leave(std::string_view why) noexcept override { exchange_.leave(why); }

 private:
  int rank_;
  int size_;
  std::string secret_;
  Endpoint ring_endpoint_;
  std::vector<RankPlace> places_;
  Exchange exchange_;
  std::optional<Ring> ring_;  // Made when the first all_reduce() wants it.
};

}  // namespace

std::unique_ptr<RankGroup> join_group(const Launch& launch, const TcpGroupOptions& options,
                                      const std::stop_token& stop) {
  if (launch.size == 1) return make_single_group(launch.node);
  Joined joined = launch.rank == 0 ? join_as_root(launch, options, stop)
                                   : join_as_member(launch, options, stop);
  return std::make_unique<TcpGroup>(launch, std::move(joined), stop);
}

}  // namespace feedrate
