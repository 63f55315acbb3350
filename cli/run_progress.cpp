// SPDX-License-Identifier: Apache-2.0
#include "cli/run_progress.h"

#include <optional>

#include <fmt/format.h>

#include "training/wait_verdict.h"

namespace feedrate {
namespace {

constexpr Nanos kInterval = std::chrono::seconds(1);
constexpr const char* kClear = "\r\033[K";

}  // namespace

void RunProgress::clear() {
  if (is_drawn_) console_.err << kClear << std::flush;
  is_drawn_ = false;
}

void RunProgress::show(const Watch& watch) {
  const Nanos now = clock_.now();
  if (now < next_) return;
  next_ = now + kInterval;
  if (const WatchedLoader* const main = watch.main_loader()) draw(*main);
}

void RunProgress::draw(const WatchedLoader& main) {
  const bool prints_verdict = !has_printed_ && main.kept >= kStepsForVerdict;
  if (!prints_verdict && !console_.err_is_terminal) return;
  const std::optional<WaitVerdict> verdict = judge(main);
  if (!verdict) return;
  has_printed_ = has_printed_ || prints_verdict;
  console_.err << fmt::format("{}feedrate: {} steps: {}; {}{}",
                              console_.err_is_terminal ? kClear : "", main.steps,
                              times_text(main, *verdict), to_string(bound_of(*verdict)),
                              prints_verdict ? "\n" : "")
               << std::flush;
  is_drawn_ = console_.err_is_terminal && !prints_verdict;
}

}  // namespace feedrate
