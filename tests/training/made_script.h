// SPDX-License-Identifier: Apache-2.0
// Makes the messages of a script, at times that a test sets.
#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <utility>

#include "training/watch.h"

namespace feedrate::testing {

inline constexpr std::size_t kConnection = 7;
inline constexpr std::size_t kLoader = 3;

inline ScriptLoader made_loader(std::size_t num_workers = 0) {
  ScriptLoader loader;
  loader.number = loader.group = kLoader;
  loader.site = "/home/me/train.py:42";
  loader.type = "DataLoader";
  loader.dataset = "ImageFolder";
  loader.batch_size = 8;
  loader.num_workers = num_workers;
  if (num_workers > 0) loader.prefetch_factor = 2;
  return loader;
}

/// Another loader of the same script.
inline ScriptLoader made_loader_at(std::size_t number, std::size_t num_workers = 0) {
  ScriptLoader loader = made_loader(num_workers);
  loader.number = loader.group = number;
  loader.site = "/home/me/train.py:" + std::to_string(number);
  return loader;
}

/// A loop over epochs of one loader, or of several loaders and in several threads. Times are
/// milliseconds.
class MadeScript {
 public:
  using Tell = std::function<void(std::size_t connection, const ScriptMessage&)>;

  explicit MadeScript(const ScriptLoader& loader, std::size_t cpus = 4)
      : tell_([this](std::size_t connection, const ScriptMessage& message) {
          watch.add(connection, message);
        }) {
    start(loader, cpus);
  }
  /// Rank `rank`, which sends its messages to `tell` instead of `watch`.
  MadeScript(const ScriptLoader& loader, std::size_t rank, Tell tell)
      : tell_(std::move(tell)), rank_(rank) {
    start(loader, 4);
  }
  MadeScript(const MadeScript&) = delete;
  MadeScript& operator=(const MadeScript&) = delete;
  ~MadeScript() = default;

  /// Later calls use the loader with this number, in the thread with that number.
  void use(std::size_t loader, std::size_t thread = 0) {
    number_ = loader;
    thread_ = thread;
  }

  void begin() {
    add(ScriptMark::Kind::kBegin, now_, now_ + Nanos(1'000'000));
    now_ += Nanos(1'000'000);
  }

  void step(double loading, double training, std::size_t samples = 8) {
    const Nanos loaded = now_ + from_seconds(loading / 1e3);
    add(ScriptMark::Kind::kBatch, now_, loaded, samples);
    now_ = loaded + from_seconds(training / 1e3);
  }

  /// A step whose batch arrives now.
  void step_until_now(double loading, double training) {
    add(ScriptMark::Kind::kBatch, now_ - from_seconds(loading / 1e3), now_, 8);
    pass(training);
  }

  void steps(std::size_t count, double loading, double training) {
    for (std::size_t i = 0; i < count; ++i) step(loading, training);
  }

  void end(double stopping = 0.0) { take(ScriptMark::Kind::kEnd, stopping); }

  /// The iterator is dropped before its end.
  void leave(double stopping) { take(ScriptMark::Kind::kLeft, stopping); }

  void switched(std::size_t request) {
    ScriptMark mark{number_, epoch_, ScriptMark::Kind::kSwitched};
    mark.request = request;
    tell(ScriptMarks{mark});
  }

  void tell(const ScriptMessage& message) { tell_(connection(), message); }

  void pass(double milliseconds) { now_ += from_seconds(milliseconds / 1e3); }

  Watch watch;

 private:
  void take(ScriptMark::Kind kind, double milliseconds) {
    const Nanos begin = now_;
    pass(milliseconds);
    add(kind, begin, now_);
  }

  void add(ScriptMark::Kind kind, Nanos asked, Nanos loaded, std::size_t samples = 0) {
    ScriptMark mark{number_, epoch_, kind, asked, loaded, samples};
    mark.thread = thread_;
    mark.cpu = loaded - asked;
    tell(ScriptMarks{mark});
  }

  void start(const ScriptLoader& loader, std::size_t cpus) {
    ScriptProcess process;
    process.id = static_cast<pid_t>(100 + rank_);
    process.rank = rank_;
    process.cpus = cpus;
    process.torch = "2.9.0";
    process.python = "3.11.2";
    tell(process);
    tell(loader);
    use(loader.number);
    begin();
  }

  [[nodiscard]] std::size_t connection() const { return kConnection + rank_; }

  Tell tell_;
  std::size_t rank_ = 0;
  Nanos now_{1'000'000'000};
  std::size_t epoch_ = 0;
  std::size_t number_ = kLoader;
  std::size_t thread_ = 0;
};

}  // namespace feedrate::testing
