// SPDX-License-Identifier: Apache-2.0
#include "bench/engines/undisturbed_engine.h"

#include <optional>
#include <utility>

#include "analysis/foreign_load.h"
#include "core/error.h"
#include "core/host/pauses.h"

namespace feedrate {
namespace {

constexpr const char* kPaused =
    "the repeat was paused (Ctrl-Z, SIGSTOP, suspend), so its times are invalid; measure the cell "
    "again with --resume and --retry-failed";

class UndisturbedEngine final : public CellEngine {
 public:
  UndisturbedEngine(std::unique_ptr<CellEngine> engine, Nanos limit, Clock& clock)
      : engine_(std::move(engine)), limit_(limit), clock_(clock) {}

  Repeat run(const CellSpec& cell, const std::stop_token& stop) override {
    begun_ = clock_.now();
    std::optional<Repeat> best = attempt(cell, stop, first_tries_);
    for (int extra = 0; extra < kMostExtraTries && wants_another(best); ++extra) {
      try {
        std::optional<Repeat> again = attempt(cell, stop, extra_tries_);
        if (!best || (again && taken_by_others(*again) < taken_by_others(*best))) best = again;
      } catch (const Cancelled&) {
        if (!best) throw;
        break;  // Keep the best try after a stop or at the start's time limit.
      }
    }
    if (best) return *std::move(best);
    throw Error(kPaused);
  }

 private:
  std::optional<Repeat> attempt(const CellSpec& cell, const std::stop_token& stop, Nanos& total) {
    PauseWatch pauses;
    const Nanos begin = clock_.now();
    Repeat repeat = run_once(cell, stop, pauses);
    if (pauses.was_paused()) return std::nullopt;
    last_ = clock_.now() - begin;
    total += last_;
    return repeat;
  }

  // A pause may be the reason for exceeding the time limit.
  Repeat run_once(const CellSpec& cell, const std::stop_token& stop, PauseWatch& pauses) {
    try {
      return engine_->run(cell, stop);
    } catch (const Cancelled&) {
      if (!pauses.was_paused()) throw;
      throw Error(kPaused);
    }
  }

  [[nodiscard]] bool wants_another(const std::optional<Repeat>& best) const {
    if (!best) return true;
    const bool has_time = clock_.now() - begun_ + 2 * last_ <= limit_;
    return is_disturbed(*best) && has_time &&
           to_seconds(extra_tries_ + last_) <= kMostExtraTime * to_seconds(first_tries_);
  }

  std::unique_ptr<CellEngine> engine_;
  const Nanos limit_;
  Clock& clock_;
  Nanos first_tries_{};
  Nanos extra_tries_{};
  Nanos begun_{};
  Nanos last_{};  // Duration of the last try.
};

}  // namespace

std::unique_ptr<CellEngine> make_undisturbed_engine(std::unique_ptr<CellEngine> engine, Nanos limit,
                                                    Clock& clock) {
  return std::make_unique<UndisturbedEngine>(std::move(engine), limit, clock);
}

}  // namespace feedrate
