// SPDX-License-Identifier: Apache-2.0
#include "training/group_witness.h"

#include <algorithm>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "core/clock.h"
#include "core/error.h"

namespace feedrate {
namespace {

constexpr Nanos kPatience = std::chrono::milliseconds(200);
constexpr Nanos kTogether = std::chrono::seconds(1);  // As a batch system signals processes.

}  // namespace

GroupWitness::GroupWitness(const sigset_t& signals) try {
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) return;
  reading_ = UniqueFd(ends[0]);
  const UniqueFd writing(ends[1]);
  child_.emplace("signals", "feedrate-group", [&] {
    const SteadyClock clock;
    ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    for (int signal = 0; ::sigwait(&signals, &signal) == 0;) {
      const Note note{signal, clock.now()};
      if (::write(writing.get(), &note, sizeof note) != sizeof note) return;
    }
  });
} catch (const SystemError&) {  // There can be no further process.
}

bool GroupWitness::has_had(int signal) {
  const SteadyClock clock;
  const Nanos now = clock.now();
  std::erase_if(notes_, [&](const Note& note) { return now - note.when > kTogether; });
  while (true) {
    const auto had = std::find_if(notes_.begin(), notes_.end(),
                                  [&](const Note& note) { return note.signal == signal; });
    if (had != notes_.end()) {
      notes_.erase(had);
      return true;
    }
    const Nanos left = std::max(Nanos(0), now + kPatience - clock.now());
    pollfd polled{reading_.get(), POLLIN, 0};
    const auto milliseconds = std::chrono::ceil<std::chrono::milliseconds>(left).count();
    Note note;
    if (::poll(&polled, 1, static_cast<int>(milliseconds)) <= 0 ||
        ::read(reading_.get(), &note, sizeof note) != sizeof note) {
      return false;
    }
    if (now - note.when <= kTogether) notes_.push_back(note);
  }
}

}  // namespace feedrate
