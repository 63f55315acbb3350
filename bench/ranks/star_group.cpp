// SPDX-License-Identifier: Apache-2.0
#include "bench/ranks/star_group.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "core/error.h"
#include "core/host/text_file.h"

namespace feedrate {
namespace {

constexpr std::chrono::milliseconds kStopPollInterval{50};
constexpr std::size_t kLongestReason = 2000;

std::string_view name_of(Collective collective) {
  switch (collective) {
    case Collective::barrier:
      return "barrier()";
    case Collective::all_gather:
      return "all_gather()";
    case Collective::gather:
      return "gather()";
    case Collective::broadcast:
      return "broadcast()";
    case Collective::agree:
      return "agree()";
    case Collective::sum:
      return "all_reduce()";
  }
  return "nothing";
}

std::string describe_call(const Frame& frame) {
  const std::string_view name = name_of(frame.collective);
  if (frame.collective == Collective::broadcast) {
    return fmt::format("{} of rank {}", name, frame.about);
  }
  if (frame.collective == Collective::sum)
    return fmt::format("{} of {} numbers", name, frame.about);
  return std::string(name);
}

std::string describe_leave(const std::string& why) {
  return why.empty() ? "has left" : "has left: " + why;
}

RankLocation parse_location(const std::string& text) {
  const std::size_t space = text.find(' ');
  const auto local = parse_unsigned(text.substr(0, space));
  return {.local_rank = static_cast<int>(local.value_or(0)), .node = text.substr(space + 1)};
}

// Combines the inputs of all ranks on rank 0.
std::vector<std::string> result_of(std::vector<std::optional<Frame>>& given) {
  const Frame& first = *given.front();
  switch (first.collective) {
    case Collective::barrier:
    case Collective::sum:
      return {""};
    case Collective::broadcast:
      return {std::move(given.at(first.about)->payload)};
    case Collective::agree:
      return {std::ranges::all_of(given, [](const auto& one) { return one->payload == "yes"; })
                  ? "yes"
                  : "no"};
    case Collective::all_gather:
    case Collective::gather:
      break;
  }
  std::vector<std::string> texts;
  for (std::optional<Frame>& one : given) texts.push_back(std::move(one->payload));
  return texts;
}

}  // namespace

StarGroup::StarGroup(const Launch& launch, std::unique_ptr<Links> links,
                     const std::stop_token& stop)
    : rank_(launch.rank),
      size_(launch.size),
      links_(std::move(links)),
      locations_(static_cast<std::size_t>(size_)),
      given_(static_cast<std::size_t>(size_)),
      left_(static_cast<std::size_t>(size_)) {
  std::string own = fmt::format("{} {}", launch.local_rank, launch.node);
  const auto texts = call(Collective::all_gather, 0, std::move(own), stop);
  std::ranges::transform(texts, locations_.begin(), parse_location);
}

StarGroup::~StarGroup() { StarGroup::leave(""); }

void StarGroup::barrier(const std::stop_token& stop) { call(Collective::barrier, 0, "", stop); }

std::vector<std::string> StarGroup::all_gather(std::string own, const std::stop_token& stop) {
  return call(Collective::all_gather, 0, std::move(own), stop);
}

std::vector<std::string> StarGroup::gather(std::string own, const std::stop_token& stop) {
  auto texts = call(Collective::gather, 0, std::move(own), stop);
  if (rank_ != 0) texts.clear();
  return texts;
}

std::string StarGroup::broadcast(std::string own, int root, const std::stop_token& stop) {
  if (rank_ != root) own.clear();
  const auto about = static_cast<std::uint64_t>(root);
  return std::move(call(Collective::broadcast, about, std::move(own), stop).front());
}

bool StarGroup::agree(bool ok, const std::stop_token& stop) {
  return call(Collective::agree, 0, ok ? "yes" : "no", stop).front() == "yes";
}

void StarGroup::meet_for_sum(std::size_t count, const std::stop_token& stop) {
  call(Collective::sum, count, "", stop);
}

void StarGroup::check() {
  while (!over_) {
    auto incoming = links_->receive(std::chrono::milliseconds(0));
    if (!incoming) return;
    take(*std::move(incoming));
  }
  throw_if_over();
}

void StarGroup::leave(std::string_view why) noexcept {
  if (std::exchange(has_left_, true)) return;
  try {
    tell_all({.kind = FrameKind::leave, .payload = std::string(why.substr(0, kLongestReason))});
  } catch (const std::exception&) {
    return;  // Out of memory. The end of the connection will report it.
  }
}

// --- Collectives --------------------------------------------------------------------------------

std::vector<std::string> StarGroup::call(Collective collective, std::uint64_t about,
                                         std::string own, const std::stop_token& stop) {
  if (own.size() > kMostBytes) {
    throw Error(fmt::format("{}: a rank gives {} bytes; at most {} are possible",
                            name_of(collective), own.size(), kMostBytes));
  }
  if (has_left_) throw Error(fmt::format("{}: this rank has left", name_of(collective)));
  throw_if_over();
  Frame frame{
      .kind = FrameKind::give, .collective = collective, .about = about, .payload = std::move(own)};
  return rank_ == 0 ? lead(std::move(frame), stop) : follow(frame, stop);
}

std::vector<std::string> StarGroup::lead(Frame own, const std::stop_token& stop) {
  const Collective collective = own.collective;
  given_.front() = std::move(own);
  while (!has_all_given()) {
    require_present();
    take_next(stop);
  }
  require_same_calls();
  std::vector<std::string> texts = result_of(given_);
  given_.assign(given_.size(), std::nullopt);
  const std::vector<std::string> nothing{""};
  for (const std::string& text : collective == Collective::gather ? nothing : texts) {
    const Frame result{.kind = FrameKind::result, .collective = collective, .payload = text};
    for (int rank = 1; rank < size_; ++rank) links_->send(rank, result, stop);
  }
  return texts;
}

std::vector<std::string> StarGroup::follow(const Frame& own, const std::stop_token& stop) {
  const bool is_all = own.collective == Collective::all_gather;
  const std::size_t expected = is_all ? locations_.size() : 1;
  links_->send(0, own, stop);
  while (results_.size() < expected) {
    if (left_.front()) lose(0, describe_leave(*left_.front()), FrameKind::left);
    throw_if_over();
    take_next(stop);
  }
  return std::exchange(results_, {});
}

void StarGroup::take_next(const std::stop_token& stop) {
  for (;;) {
    if (stop.stop_requested()) throw Cancelled();
    auto incoming = links_->receive(kStopPollInterval);
    if (!incoming) continue;
    take(*std::move(incoming));
    return throw_if_over();
  }
}

void StarGroup::take(Links::Incoming&& incoming) {
  auto& [from, frame] = incoming;
  switch (frame.kind) {
    case FrameKind::give:
      given_.at(static_cast<std::size_t>(from)) = std::move(frame);
      break;
    case FrameKind::result:
      results_.push_back(std::move(frame.payload));
      break;
    case FrameKind::lost:
    case FrameKind::left:
      return lose(static_cast<int>(frame.about), std::move(frame.payload), frame.kind);
    case FrameKind::failed:
      return fail(frame.payload);
    case FrameKind::leave:
      return take_leave(from, std::move(frame.payload));
    case FrameKind::ended:
      if (!left_.at(static_cast<std::size_t>(from))) {
        lose(from, std::move(frame.payload), FrameKind::lost);
      }
      break;
  }
}

void StarGroup::take_leave(int from, std::string why) {
  if (!why.empty()) lose(from, describe_leave(why), FrameKind::left);
  left_.at(static_cast<std::size_t>(from)) = std::move(why);
}

bool StarGroup::has_all_given() const {
  return std::ranges::all_of(given_, [](const auto& one) { return one.has_value(); });
}

// Fails if a rank has left before giving its input to the current collective.
void StarGroup::require_present() {
  for (std::size_t rank = 0; rank < given_.size(); ++rank) {
    if (!left_[rank] || given_[rank]) continue;
    lose(static_cast<int>(rank), describe_leave(*left_[rank]), FrameKind::left);
  }
  throw_if_over();
}

void StarGroup::require_same_calls() {
  const Frame& own = *given_.front();
  for (std::size_t rank = 1; rank < given_.size(); ++rank) {
    const Frame& other = *given_[rank];
    if (other.collective == own.collective && other.about == own.about) continue;
    fail(fmt::format("rank {} calls {}, rank 0 {}; all ranks must call the same function", rank,
                     describe_call(other), describe_call(own)));
    throw_if_over();
  }
}

// --- Failures -----------------------------------------------------------------------------------

void StarGroup::lose(int rank, std::string cause, FrameKind how) {
  if (over_) return;
  if (rank_ == 0) {
    tell_all({.kind = how, .about = static_cast<std::uint64_t>(rank), .payload = cause});
  }
  const std::string& node = locations_.at(static_cast<std::size_t>(rank)).node;
  over_ = std::make_exception_ptr(RankLost(rank, node, std::move(cause)));
}

void StarGroup::fail(const std::string& cause) {
  if (over_) return;
  if (rank_ == 0) tell_all({.kind = FrameKind::failed, .payload = cause});
  over_ = std::make_exception_ptr(Error(cause));
}

void StarGroup::tell_all(const Frame& frame) noexcept {
  if (rank_ != 0) return links_->try_send(0, frame);
  for (int rank = 1; rank < size_; ++rank) links_->try_send(rank, frame);
}

void StarGroup::throw_if_over() const {
  if (over_) std::rethrow_exception(over_);
}

}  // namespace feedrate
