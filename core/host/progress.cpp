// SPDX-License-Identifier: Apache-2.0
#include "core/host/progress.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/format.h"

namespace feedrate {
namespace {

constexpr auto kRedraw = std::chrono::milliseconds(200);
constexpr auto kNextLine = std::chrono::seconds(10);

}  // namespace

Progress::Progress(Console& console, std::string action, std::size_t total)
    : console_(console),
      action_(std::move(action)),
      total_(total),
      start_(std::chrono::steady_clock::now()),
      next_draw_(start_ + (console.err_is_terminal ? std::chrono::nanoseconds(kRedraw)
                                                   : std::chrono::nanoseconds(kNextLine))) {}

Progress::~Progress() {
  if (console_.err_is_terminal) console_.err << "\r\033[K" << std::flush;
}

void Progress::advance(std::size_t count) {
  const std::lock_guard lock(mutex_);
  done_ += count;
  const Time now = std::chrono::steady_clock::now();
  if (now >= next_draw_) draw(now);
}

void Progress::draw(Time now) {
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const double rate = static_cast<double>(done_) / seconds;
  const double left = static_cast<double>(total_ - std::min(done_, total_)) / rate;
  const std::string line = fmt::format(
      "{} {} of {} · {}/s · {} left", action_, format_number(static_cast<double>(done_)),
      format_number(static_cast<double>(total_)), format_number(rate), format_duration(left));
  if (console_.err_is_terminal) {
    console_.err << '\r' << line << "\033[K" << std::flush;
    next_draw_ = now + kRedraw;
  } else {
    console_.err << line << std::endl;
    next_draw_ = now + kNextLine;
  }
}

}  // namespace feedrate
