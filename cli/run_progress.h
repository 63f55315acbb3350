// SPDX-License-Identifier: Apache-2.0
// The output of `feedrate run` on stderr while the script runs: on a terminal a line redrawn each
// second; everywhere the verdict once, after a hundred steps. One thread.
#pragma once
#include "core/clock.h"
#include "core/host/console.h"
#include "training/watch.h"

namespace feedrate {

class RunProgress {
 public:
  explicit RunProgress(Console& console) : console_(console) {}
  ~RunProgress() { clear(); }
  RunProgress(const RunProgress&) = delete;
  RunProgress& operator=(const RunProgress&) = delete;

  void show(const Watch& watch);
  void clear();

 private:
  void draw(const WatchedLoader& main);

  Console& console_;
  SteadyClock clock_;
  Nanos next_{};
  bool is_drawn_ = false;
  bool has_printed_ = false;
};

}  // namespace feedrate
