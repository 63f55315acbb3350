// SPDX-License-Identifier: Apache-2.0
#include "bench/calibration/quiet_pairs.h"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "analysis/foreign_load.h"
#include "bench/engines/monitor_figures.h"
#include "bench/engines/undisturbed_engine.h"
#include "core/host/cpu_list.h"
#include "core/host/cpu_load.h"

namespace feedrate {
namespace {

// Measures foreign load over the whole start, because most probes' windows are too short.
class MarkedEngine final : public CellEngine {
 public:
  explicit MarkedEngine(std::unique_ptr<CellEngine> engine) : engine_(std::move(engine)) {}

  Repeat run(const CellSpec& cell, const std::stop_token& stop) override {
    const CpuLoadMark begin = mark_cpu_load(cpus_);
    Repeat repeat = engine_->run(cell, stop);
    std::vector<Metric> load = foreign_load_metrics(begin, mark_cpu_load(cpus_));
    // Inserted first, since find_metric() returns the first metric of a name.
    repeat.metrics.insert(repeat.metrics.begin(), load.begin(), load.end());
    return repeat;
  }

 private:
  const CpuList cpus_ = allowed_cpu_list();
  std::unique_ptr<CellEngine> engine_;
};

}  // namespace

std::unique_ptr<CellEngine> make_watched_engine(std::unique_ptr<CellEngine> engine, Nanos limit,
                                                Clock& clock) {
  return make_undisturbed_engine(std::make_unique<MarkedEngine>(std::move(engine)), limit, clock);
}

std::optional<OfBoth<Repeat>> QuietPairs::run(const OfBoth<std::unique_ptr<CellEngine>>& by,
                                              const OfBoth<CellSpec>& cells,
                                              const std::stop_token& stop) {
  Repeat native = by.native->run(cells.native, stop);
  Repeat torch = by.torch->run(cells.torch, stop);
  for (const Repeat* start : {&native, &torch})
    starts_.repeats.push_back({.metrics = start->metrics});
  if (!is_disturbed(native) && !is_disturbed(torch)) {
    return OfBoth<Repeat>{std::move(native), std::move(torch)};
  }
  ++disturbed_;
  const std::size_t pairs = starts_.repeats.size() / 2;
  if (disturbed_ >= kMostDisturbedPairs && 2 * disturbed_ >= pairs) {
    throw DisturbedCalibration(foreign_load_text(starts_));
  }
  return std::nullopt;
}

}  // namespace feedrate
