#include "ranks/exchange.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <memory>
#include <utility>

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "core/error.h"
#include "core/fork_mutex.h"
#include "ranks/group.h"

namespace feedrate {
namespace {

using std::chrono::milliseconds;
using SteadyTime = std::chrono::steady_clock::time_point;

constexpr milliseconds kHeartbeat{1000};
// Counted in our own heartbeats, not in seconds: who stood still itself, as a job that is
// suspended, must not take the others for dead.
constexpr int kMostSilence = 7;
constexpr milliseconds kFarewell{2000};
constexpr milliseconds kVerdict{10'000};

UniqueFd make_event() {
  UniqueFd event(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (event.get() < 0) throw SystemError("an eventfd", "cannot be made", errno);
  return event;
}

void set(const UniqueFd& event) {
  const std::uint64_t one = 1;
  static_cast<void>(::write(event.get(), &one, sizeof one));
}

void clear(const UniqueFd& event) {
  std::uint64_t count = 0;
  static_cast<void>(::read(event.get(), &count, sizeof count));
}

SharedBytes bytes_of(const Frame& frame) {
  return std::make_shared<const std::string>(encode_frame(frame));
}

int milliseconds_until(SteadyTime time) {
  const auto left = std::chrono::ceil<milliseconds>(time - std::chrono::steady_clock::now());
  return static_cast<int>(std::clamp<milliseconds::rep>(left.count(), 0, kHeartbeat.count()));
}

std::string describe_leave(const std::string& why) {
  return why.empty() ? "has left" : "has left: " + why;
}

}  // namespace

Exchange::Exchange(int rank, int size, std::vector<Peer> peers)
    : rank_(rank),
      size_(size),
      wake_event_(make_event()),
      over_event_(make_event()),
      nodes_(static_cast<std::size_t>(size)),
      given_(static_cast<std::size_t>(rank == 0 ? size : 0)) {
  for (Peer& peer : peers) links_.emplace_back(peer.rank, std::move(peer.fd));
  server_ = std::jthread([this](const std::stop_token& stop) { serve(stop); });
}

Exchange::~Exchange() {
  leave("");
  server_.request_stop();
  set(wake_event_);
}

std::vector<std::string> Exchange::call(Collective collective, std::string own, int root,
                                        const std::stop_token& stop) {
  if (own.size() > RankGroup::kMostBytes) {
    throw Error(fmt::format("{}: a rank gives {} bytes; {} are the most", to_string(collective),
                            own.size(), RankGroup::kMostBytes));
  }
  std::unique_lock lock(mutex_);
  if (left_) throw Error(fmt::format("{}: this rank has left", to_string(collective)));
  if (over_) throw_over();
  waiting_ = {.sequence = ++sequence_, .parts = {}, .expected = parts_of(collective), .got = 0};
  waiting_.parts.resize(waiting_.expected);
  Frame frame{.kind = FrameKind::give,
              .collective = collective,
              .rank = static_cast<std::uint32_t>(root),
              .sequence = sequence_,
              .payload = std::move(own)};
  if (rank_ == 0) {
    take_given(0, std::move(frame));
  } else if (!links_.front().is_open() || links_.front().has_left) {
    lose(0, describe_leave(links_.front().left_why));
  } else {
    send(links_.front(), bytes_of(frame));
  }
  const auto is_done = [&] { return waiting_.got == waiting_.expected || over_; };
  if (!changed_.wait(lock, stop, is_done)) throw Cancelled();
  if (waiting_.got == waiting_.expected) return std::move(waiting_.parts);
  throw_over();
}

void Exchange::check() const {
  if (!is_over_.load(std::memory_order_relaxed)) return;
  const std::lock_guard lock(mutex_);
  throw_over();
}

void Exchange::leave(std::string_view why) noexcept {
  try {
    const std::lock_guard lock(mutex_);
    if (std::exchange(left_, true)) return;
    send_to_all({.kind = FrameKind::leave, .payload = std::string(why.substr(0, 4096))});
  } catch (const std::exception&) {
    // Without memory to say so; the end of the connection tells as much.
    left_ = true;
  }
}

void Exchange::set_nodes(std::vector<std::string> nodes) {
  const std::lock_guard lock(mutex_);
  nodes_ = std::move(nodes);
}

void Exchange::throw_loss(int rank, const std::string& cause) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, kVerdict, [&] { return over_.has_value(); });
  if (!over_) end_with({.lost_rank = rank, .cause = cause});
  throw_over();
}

// --- Its thread ---------------------------------------------------------------------------------

void Exchange::serve(const std::stop_token& stop) {
  SteadyTime next_tick = std::chrono::steady_clock::now() + kHeartbeat;
  std::optional<SteadyTime> farewell;
  for (;;) {
    std::vector<pollfd> items;
    {
      const std::lock_guard lock(mutex_);
      if (stop.stop_requested()) {
        if (!farewell) farewell = std::chrono::steady_clock::now() + kFarewell;
        for (Link& link : links_) {
          if (!link.has_unsent()) link.finish();
        }
        if (!has_links() || std::chrono::steady_clock::now() >= *farewell) return;
      }
      for (const Link& link : links_) {
        const auto events = static_cast<short>(link.has_unsent() ? POLLIN | POLLOUT : POLLIN);
        items.push_back({.fd = link.fd(), .events = events, .revents = 0});  // -1 is passed over.
      }
    }
    items.push_back({.fd = wake_event_.get(), .events = POLLIN, .revents = 0});
    const SteadyTime until = farewell ? std::min(*farewell, next_tick) : next_tick;
    static_cast<void>(::poll(items.data(), items.size(), milliseconds_until(until)));
    const std::scoped_lock lock(fork_mutex(), mutex_);
    clear(wake_event_);
    for (std::size_t i = 0; i < links_.size(); ++i) {
      if (items[i].revents != 0 && links_[i].is_open()) serve_link(links_[i]);
    }
    if (std::chrono::steady_clock::now() < next_tick) continue;
    tick();
    next_tick = std::chrono::steady_clock::now() + kHeartbeat;
  }
}

bool Exchange::has_links() const {
  return std::any_of(links_.begin(), links_.end(), [](const Link& link) { return link.is_open(); });
}

void Exchange::serve_link(Link& link) {
  try {
    // What has come is read before its end counts: a farewell, or who is lost.
    const bool is_alive = link.receive([&](Frame frame) { take(link, std::move(frame)); });
    if (!is_alive || !link.flush()) ended(link);
  } catch (const Error& error) {
    lose(link.rank(), fmt::format("sent what is no message of ours: {}", error.what()));
    link.close();
  }
}

void Exchange::tick() {
  const SharedBytes heartbeat = bytes_of({.kind = FrameKind::heartbeat});
  for (Link& link : links_) {
    if (!link.is_open() || link.has_left) continue;
    if (link.count_silence() >= kMostSilence) {
      link.close();
      lose(link.rank(), fmt::format("gave no sign of life for {} s: its node is gone, or it stands "
                                    "still",
                                    kMostSilence));
      continue;
    }
    if (!left_) send(link, heartbeat);
  }
}

// --- What is said -------------------------------------------------------------------------------

void Exchange::take(Link& link, Frame frame) {
  if (frame.kind == FrameKind::heartbeat) return;
  if (frame.kind == FrameKind::leave) {
    link.has_left = true;
    link.left_why = std::move(frame.payload);
    const bool is_waited_for = rank_ != 0 && waiting_.got < waiting_.expected;
    if (is_waited_for || !link.left_why.empty()) lose(link.rank(), describe_leave(link.left_why));
    return rank_ == 0 ? require_present() : void();
  }
  rank_ == 0 ? take_as_root(link, std::move(frame)) : take_as_member(std::move(frame));
}

void Exchange::take_as_root(Link& link, Frame frame) {
  if (frame.kind != FrameKind::give) throw Error("a message that only rank 0 sends");
  take_given(link.rank(), std::move(frame));
}

void Exchange::take_as_member(Frame frame) {
  switch (frame.kind) {
    case FrameKind::result:
      return take_result(std::move(frame));
    case FrameKind::lost:
      if (frame.rank >= static_cast<std::uint32_t>(size_)) throw Error("a loss of no rank");
      return lose(static_cast<int>(frame.rank), std::move(frame.payload));
    case FrameKind::failed:
      return fail(std::move(frame.payload));
    default:
      throw Error("a message that rank 0 does not send");
  }
}

void Exchange::take_given(int rank, Frame frame) {
  if (over_ || left_) return;  // What was cancelled here must not be done elsewhere.
  std::optional<Frame>& own = given_[static_cast<std::size_t>(rank)];
  if (frame.rank >= given_.size()) throw Error("a broadcast of no rank");
  if (own || frame.sequence != under_way_) throw Error("a message out of its order");
  for (std::size_t other = 0; other < given_.size(); ++other) {
    const std::optional<Frame>& theirs = given_[other];
    if (!theirs) continue;
    if (theirs->collective == frame.collective && theirs->rank == frame.rank) break;
    return fail(
        fmt::format("rank {} calls {} of root {}, rank {} {} of root {}: all must call the "
                    "same",
                    other, to_string(theirs->collective), theirs->rank, rank,
                    to_string(frame.collective), frame.rank));
  }
  own = std::move(frame);
  ++given_count_;
  given_count_ == given_.size() ? complete() : require_present();
}

void Exchange::take_result(Frame frame) {
  const bool is_expected = frame.sequence == waiting_.sequence && frame.rank < waiting_.expected &&
                           waiting_.got < waiting_.expected;
  if (!is_expected) throw Error("a result that nobody asked for");
  waiting_.parts[frame.rank] = std::move(frame.payload);
  if (++waiting_.got == waiting_.expected) changed_.notify_all();
}

std::size_t Exchange::parts_of(Collective collective) const {
  const bool is_all =
      collective == Collective::all_gather || (collective == Collective::gather && rank_ == 0);
  return is_all ? static_cast<std::size_t>(size_) : 1;
}

// Rank 0 has all that was given.
void Exchange::complete() {
  const Collective collective = given_.front()->collective;
  const std::uint32_t root = given_.front()->rank;
  std::vector<std::string> parts;
  for (std::optional<Frame>& frame : given_) parts.push_back(std::move(frame->payload));
  if (collective == Collective::broadcast) parts = {std::move(parts.at(root))};
  if (collective == Collective::barrier) parts = {""};
  if (collective == Collective::agree) {
    const bool all = std::all_of(parts.begin(), parts.end(),
                                 [](const std::string& vote) { return vote == "yes"; });
    parts = {all ? "yes" : "no"};
  }
  const bool is_only_here = collective == Collective::gather;
  for (std::size_t part = 0; part < (is_only_here ? 1 : parts.size()); ++part) {
    send_to_all({.kind = FrameKind::result,
                 .collective = collective,
                 .rank = static_cast<std::uint32_t>(part),
                 .sequence = under_way_,
                 .payload = is_only_here ? "" : parts[part]});
  }
  waiting_.got = waiting_.expected;
  waiting_.parts = std::move(parts);
  given_.assign(given_.size(), std::nullopt);
  given_count_ = 0;
  ++under_way_;
  changed_.notify_all();
}

// Whoever has left cannot give what others wait for.
void Exchange::require_present() {
  if (given_count_ == 0) return;
  for (const Link& link : links_) {
    if (link.has_left && !given_[static_cast<std::size_t>(link.rank())]) {
      return lose(link.rank(), describe_leave(link.left_why));
    }
  }
}

// --- How it ends --------------------------------------------------------------------------------

void Exchange::send(Link& link, SharedBytes bytes) {
  if (!link.is_open()) return;
  if (!link.send(std::move(bytes))) return;  // Its end is seen where it is read.
  if (link.has_unsent()) set(wake_event_);
}

void Exchange::send_to_all(const Frame& frame) {
  const SharedBytes bytes = bytes_of(frame);
  for (Link& link : links_) send(link, bytes);
}

void Exchange::ended(Link& link) {
  link.close();
  if (link.has_left || left_) return;
  lose(link.rank(), "its connection has ended: it was killed, or has crashed");
}

void Exchange::lose(int rank, std::string cause) {
  if (over_) return;
  if (rank_ == 0) {
    send_to_all(
        {.kind = FrameKind::lost, .rank = static_cast<std::uint32_t>(rank), .payload = cause});
  }
  end_with({.lost_rank = rank, .cause = std::move(cause)});
}

void Exchange::fail(std::string cause) {
  if (over_) return;
  if (rank_ == 0) send_to_all({.kind = FrameKind::failed, .payload = cause});
  end_with({.lost_rank = -1, .cause = std::move(cause)});
}

void Exchange::end_with(Over over) {
  over_ = std::move(over);
  is_over_ = true;
  set(over_event_);
  changed_.notify_all();
}

void Exchange::throw_over() const {
  if (over_->lost_rank < 0) throw Error(over_->cause);
  const auto rank = static_cast<std::size_t>(over_->lost_rank);
  throw RankLost(over_->lost_rank, rank < nodes_.size() ? nodes_[rank] : "", over_->cause);
}

}  // namespace feedrate
