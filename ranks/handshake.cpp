#include "ranks/handshake.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <poll.h>

namespace feedrate {
namespace {

// Of those that have not proven anything: one more takes the oldest's place.
constexpr std::size_t kMostStrangers = 256;
constexpr std::chrono::seconds kPatience{10};
// So many are told of; a port that somebody scans must not fill the log.
constexpr int kMostWarnings = 5;

}  // namespace

UniqueFd knock(const Endpoint& endpoint, const std::string& secret, const RankClaim& claim,
               Deadline deadline, const std::stop_token& stop) {
  const std::string peer = to_string(endpoint);
  UniqueFd fd = connect_to(endpoint, deadline, stop);
  const auto nonce =
      decode_greeting(receive_exactly(fd.get(), kGreetingBytes, peer, deadline, stop));
  if (!nonce) throw NotOurs(fmt::format("{}: what answers there is no rank of feedrate", peer));
  const std::string own = make_nonce();
  send_all(fd.get(), encode_proof(secret, claim, *nonce, own), peer, deadline, stop);
  const std::string answer = receive_exactly(fd.get(), kAnswerBytes, peer, deadline, stop);
  switch (decode_answer(secret, claim, own, answer)) {
    case RankAnswer::proven:
      return fd;
    case RankAnswer::refused:
      throw NotOurs(fmt::format("{}: refused this rank: its secret is another", peer));
    case RankAnswer::wrong:
      break;
  }
  throw NotOurs(fmt::format("{}: does not know the secret of this job", peer));
}

Doorkeeper::Doorkeeper(Listener& listener, std::string secret, Warn warn)
    : listener_(listener), secret_(std::move(secret)), warn_(std::move(warn)) {}

std::vector<Guest> Doorkeeper::wait(std::chrono::milliseconds longest) {
  wait_for_any(longest);
  greet_new();
  std::vector<Guest> guests;
  std::erase_if(strangers_, [&](Stranger& stranger) { return hear(stranger, guests); });
  return guests;
}

void Doorkeeper::wait_for_any(std::chrono::milliseconds longest) {
  const int door = has_room() ? listener_.fd() : -1;  // -1 is passed over.
  std::vector<pollfd> items{{.fd = door, .events = POLLIN, .revents = 0}};
  for (const Stranger& stranger : strangers_) {
    items.push_back({.fd = stranger.fd.get(), .events = POLLIN, .revents = 0});
  }
  static_cast<void>(::poll(items.data(), items.size(), static_cast<int>(longest.count())));
}

// The others wait at the door: to turn away whoever came first could be to turn away a rank.
bool Doorkeeper::has_room() const { return strangers_.size() < kMostStrangers; }

void Doorkeeper::greet_new() {
  std::string from;
  while (has_room()) {
    auto fd = listener_.accept(from);
    if (!fd) return;
    Stranger stranger{.fd = std::move(*fd),
                      .from = from,
                      .nonce = make_nonce(),
                      .said = {},
                      .deadline = std::chrono::steady_clock::now() + kPatience};
    // So few bytes go at once into a connection that is new.
    static_cast<void>(send_some(stranger.fd.get(), encode_greeting(stranger.nonce)));
    strangers_.push_back(std::move(stranger));
  }
}

bool Doorkeeper::hear(Stranger& stranger, std::vector<Guest>& guests) {
  if (!receive_some(stranger.fd.get(), stranger.said, kProofBytes - stranger.said.size())) {
    turn_away(stranger, "it hung up");
    return true;
  }
  if (stranger.said.size() < kProofBytes) {
    const bool is_late = std::chrono::steady_clock::now() >= stranger.deadline;
    if (is_late) turn_away(stranger, "it proved nothing in time");
    return is_late;
  }
  const auto proof = decode_proof(secret_, stranger.said, stranger.nonce);
  if (!proof) {
    turn_away(stranger, "it does not know the secret of this job");
    return true;
  }
  const std::string answer = encode_answer(secret_, proof->claim, proof->nonce);
  static_cast<void>(send_some(stranger.fd.get(), answer));
  guests.push_back({.fd = std::move(stranger.fd), .claim = proof->claim});
  return true;
}

void Doorkeeper::turn_away(const Stranger& stranger, std::string_view why) {
  static_cast<void>(send_some(stranger.fd.get(), encode_refusal()));
  if (++turned_away_ <= kMostWarnings && warn_) {
    warn_(
        fmt::format("{}: {} turned away: {}", to_string(listener_.endpoint()), stranger.from, why));
  }
}

}  // namespace feedrate
