// Who may take part: both sides prove that they know the secret. One thread an object.
#pragma once
#include <chrono>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/unique_fd.h"
#include "ranks/socket.h"
#include "ranks/wire.h"

namespace feedrate {

using Warn = std::function<void(std::string_view)>;

/// Somebody answered who is not of the job, or refused us for that.
class NotOurs : public Error {
 public:
  using Error::Error;
};

/// Connects, and proves `claim`. Throws NotOurs, Error or SystemError, Cancelled.
[[nodiscard]] UniqueFd knock(const Endpoint& endpoint, const std::string& secret,
                             const RankClaim& claim, Deadline deadline,
                             const std::stop_token& stop);

struct Guest {
  UniqueFd fd;
  RankClaim claim;
};

/// Lets in who proves to be of the job, whatever others do meanwhile: who is slow is asked beside
/// the others, who says anything else is turned away.
class Doorkeeper {
 public:
  /// `listener` outlives it.
  Doorkeeper(Listener& listener, std::string secret, Warn warn);

  /// Those that have proven it, after at most so long a wait.
  [[nodiscard]] std::vector<Guest> wait(std::chrono::milliseconds longest);
  [[nodiscard]] int turned_away() const noexcept { return turned_away_; }

 private:
  struct Stranger {
    UniqueFd fd;
    std::string from;
    std::string nonce;
    std::string said;
    Deadline deadline;
  };

  [[nodiscard]] bool has_room() const;
  void wait_for_any(std::chrono::milliseconds longest);
  void greet_new();
  /// Whether it is done with, in one way or the other.
  bool hear(Stranger& stranger, std::vector<Guest>& guests);
  void turn_away(const Stranger& stranger, std::string_view why);

  Listener& listener_;
  std::string secret_;
  Warn warn_;
  std::vector<Stranger> strangers_;
  int turned_away_ = 0;
};

}  // namespace feedrate
