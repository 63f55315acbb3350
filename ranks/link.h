// A connection between two ranks once it is proven: frames in and out, none of them waited for.
// Whoever uses it locks.
#pragma once
#include <deque>
#include <functional>
#include <memory>
#include <string>

#include "core/unique_fd.h"
#include "ranks/wire.h"

namespace feedrate {

/// The bytes of a frame, which may be on their way to many.
using SharedBytes = std::shared_ptr<const std::string>;

class Link {
 public:
  Link(int rank, UniqueFd fd);

  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] int fd() const noexcept { return fd_.get(); }
  [[nodiscard]] bool is_open() const noexcept { return fd_.get() >= 0; }
  [[nodiscard]] bool has_unsent() const noexcept { return !unsent_.empty(); }

  /// Sends now what goes, the rest when flush() is called. False where the connection is broken.
  bool send(SharedBytes bytes);
  bool flush();
  /// Hands over the frames that have come. False where the connection has ended. Throws Error where
  /// they are none.
  bool receive(const std::function<void(Frame)>& take);
  /// No more will be sent.
  void finish() noexcept;
  void close() noexcept;

  /// How many times in a row this was asked and nothing had come in between.
  int count_silence() noexcept;

  /// That it said so itself, and why: the end of its connection is then no loss.
  bool has_left = false;
  std::string left_why;

 private:
  int rank_;
  UniqueFd fd_;
  FrameReader reader_;
  std::deque<SharedBytes> unsent_;
  std::size_t sent_of_first_ = 0;
  bool finished_ = false;
  bool heard_ = false;
  bool ever_heard_ = false;
  int silent_ = 0;
};

}  // namespace feedrate
