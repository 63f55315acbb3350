// SPDX-License-Identifier: Apache-2.0
// The script's side of `feedrate run`: its processes connect to a socket; the session observes
// them, tunes them, and sends the verdict. One thread.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <tuple>

#include "cli/run_progress.h"
#include "core/clock.h"
#include "core/host/console.h"
#include "training/first_rank.h"
#include "training/listener.h"
#include "training/process_evidence.h"
#include "training/watched_training.h"

namespace feedrate {

class TrainingServer {
 public:
  /// Listens at `socket`. Throws SystemError.
  TrainingServer(const std::filesystem::path& socket, bool tunes, Console& console);

  /// Waits for a message, until `other` is readable or `patience` is over. Returns false without a
  /// message. On its own failure it leaves the script alone, and problem() says why.
  bool receive(int other, Nanos patience);
  /// Sends responses and draws the progress line.
  void act();
  /// Call when the script has ended: nothing waits any longer.
  void finish();
  /// Asks a training of one process to end at its next batch. Returns whether it is `script`; else
  /// the caller must end it: a single one of several processes would leave the others waiting.
  bool stop(pid_t script);
  void clear_line() { progress_.clear(); }

  [[nodiscard]] const WatchedTraining& training() const { return training_; }
  [[nodiscard]] const ScriptListener& listener() const { return listener_; }
  /// The rank observed instead of rank 0.
  [[nodiscard]] std::optional<std::size_t> stand_in() const { return ranks_.stand_in(); }
  [[nodiscard]] const std::string& problem() const {
    return problem_.empty() ? listener_.problem() : problem_;
  }

 private:
  void add(std::size_t connection, const ScriptMessage& message);
  void check_memory();
  void send_verdict();

  SteadyClock clock_;
  ScriptListener listener_;
  WatchedTraining training_;
  FirstRank ranks_;
  ProcessEvidence evidence_;
  RunProgress progress_;
  Nanos next_check_{};
  bool has_news_ = false;  // Messages since the last act().
  // Number of tunings, cost, and whether the training is over, as last sent.
  std::tuple<std::size_t, double, bool> sent_{0, -1.0, false};
  std::string problem_;
};

}  // namespace feedrate
