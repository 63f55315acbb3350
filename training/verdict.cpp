// SPDX-License-Identifier: Apache-2.0
#include "training/verdict.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/format.h"
#include "core/statistics.h"

namespace feedrate {
namespace {

// Of what a batch takes in its worker; below, it waits.
constexpr double kMostlyCpu = 0.7;

// Of a loader's time: a thread that trains does more between two batches.
constexpr double kTrainsNothing = 0.05;

bool is_cpu_work(const WatchedLoader& watched) {
  return watched.fetch_wall <= 0.0 || watched.fetch_cpu >= kMostlyCpu * watched.fetch_wall;
}

Bottleneck bottleneck_of(const WatchedLoader& watched, double stall) {
  if (stall <= kNothingToWin) return Bottleneck::kGpu;
  if (stall <= kBalance) return Bottleneck::kBalanced;
  return is_cpu_work(watched) ? Bottleneck::kDecode : Bottleneck::kStorage;
}

// What other loaders give to a step is loading, too: it was seen as a part of the training.
StepTimes times_of_step(const WatchedLoader& watched, const StepTimes& batch,
                        std::vector<StepPart>& parts) {
  const auto batches = static_cast<double>(watched.batches_per_step);
  StepTimes times{batches * batch.loading, batches * batch.training};
  for (const WatchedPart& part : watched.parts) {
    const double loading = batches * part.loading / static_cast<double>(part.steps);
    parts.push_back({part.loader, std::min(loading, times.training)});
    times.training -= parts.back().loading;
  }
  if (parts.empty()) return times;
  parts.push_back({&watched, times.loading});
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) times.loading += parts[i].loading;
  std::sort(parts.begin(), parts.end(),
            [](const StepPart& a, const StepPart& b) { return a.loading > b.loading; });
  return times;
}

// Whether these take a share of the time that the other steps do not tell of.
bool has_first_batches(const WatchedLoader& watched, const StepTimes& batch) {
  const StepSums& sums = watched.sums;
  if (sums.epochs == sums.steps) return sums.epochs > 0;
  const double others =
      (sums.loading - sums.first_batches) / static_cast<double>(sums.steps - sums.epochs);
  const double longer = sums.first_batches - static_cast<double>(sums.epochs) * others;
  return longer > kNothingToWin * batch.step() * static_cast<double>(sums.steps);
}

using Arguments = std::vector<std::pair<std::string, std::string>>;

// Those that feedrate may change: num_workers, and what is not PyTorch's default.
Arguments changeable_arguments(const ScriptLoader& loader) {
  Arguments all{{"num_workers", fmt::format("{}", loader.num_workers)}};
  if (loader.num_workers > 0 && loader.prefetch_factor.value_or(2) != 2) {
    all.emplace_back("prefetch_factor", fmt::format("{}", *loader.prefetch_factor));
  }
  if (loader.pin_memory) all.emplace_back("pin_memory", "True");
  if (loader.num_workers > 0 && loader.persistent_workers) {
    all.emplace_back("persistent_workers", "True");
  }
  if (!loader.in_order) all.emplace_back("in_order", "False");
  return all;
}

bool is_changeable(const std::string& name) {
  return name == "num_workers" || name == "prefetch_factor" || name == "pin_memory" ||
         name == "persistent_workers" || name == "in_order";
}

Arguments given_arguments(const ScriptLoader& loader) {
  if (!loader.given.empty()) return loader.given;
  Arguments all{{"dataset", loader.dataset}};
  if (loader.batch_size) all.emplace_back("batch_size", fmt::format("{}", *loader.batch_size));
  return all;
}

}  // namespace

std::string cause_text(const WatchedLoader& watched) {
  const std::size_t workers = watched.loader.num_workers;
  if (workers == 0) {
    return is_cpu_work(watched)
               ? "the training thread loads itself (num_workers=0), and computes"
               : "the training thread loads itself (num_workers=0), and waits for storage";
  }
  if (is_cpu_work(watched)) return "the workers' CPU time";
  // With the training thread they are more than the CPUs: a wait may be for one of these.
  return workers + 1 > watched.process.cpus ? "the workers wait, for storage, locks or a CPU"
                                            : "the workers wait, for storage or locks";
}

std::optional<LoaderVerdict> judge(const WatchedLoader& watched) {
  const std::optional<StepTimes> batch = step_times(watched);
  if (!batch) return std::nullopt;
  LoaderVerdict verdict;
  verdict.batches_per_step = watched.batches_per_step;
  verdict.times = times_of_step(watched, *batch, verdict.parts);
  verdict.has_first_batches = has_first_batches(watched, *batch);
  verdict.paused = watched.paused;
  verdict.is_taken_by_a_thread =
      watched.thread != 0 && batch->training < kTrainsNothing * batch->step();
  if (verdict.is_taken_by_a_thread) return verdict;
  if (watched.gpu_busy > 0.0) {
    verdict.gpu_idle = watched.gpu_idle / (watched.gpu_idle + watched.gpu_busy);
  }
  verdict.stall = verdict.gpu_idle.value_or(verdict.times.loading_share());
  verdict.bottleneck = bottleneck_of(watched, verdict.stall);
  return verdict;
}

const char* bound_name(const LoaderVerdict& verdict) {
  if (verdict.bottleneck == Bottleneck::kGpu) return "GPU-BOUND";
  return verdict.bottleneck == Bottleneck::kBalanced ? "BALANCED" : "INPUT-BOUND";
}

std::string loader_text(const ScriptLoader& loader) {
  return fmt::format("{} {}", site_text(loader.site), call_text(loader));
}

std::string site_text(std::string_view site) {
  return std::string(site.substr(site.rfind('/') + 1));
}

std::string call_text(const ScriptLoader& loader) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : given_arguments(loader)) {
    if (is_changeable(name)) continue;
    parts.push_back(name == "dataset" ? value : fmt::format("{}={}", name, value));
  }
  for (const auto& [name, value] : changeable_arguments(loader)) {
    parts.push_back(fmt::format("{}={}", name, value));
  }
  return fmt::format("{}({})", loader.type, fmt::join(parts, ", "));
}

std::string times_text(const WatchedLoader& watched, const LoaderVerdict& verdict) {
  std::string text = fmt::format(
      "loading {} ({:.0f} %), training {}", format_value(verdict.times.loading, Unit::kSeconds),
      100.0 * verdict.times.loading_share(), format_value(verdict.times.training, Unit::kSeconds));
  if (verdict.gpu_idle) text += fmt::format(", GPU idle {:.0f} %", 100.0 * *verdict.gpu_idle);
  const auto& epochs = watched.measurement.epochs;
  if (!epochs.empty()) {
    text += fmt::format("; first batch {}",
                        format_value(to_seconds(epochs.front().first_batch), Unit::kSeconds));
  }
  if (!watched.epoch_gaps.empty()) {
    text += fmt::format(", between epochs {}",
                        format_value(median(watched.epoch_gaps), Unit::kSeconds));
  }
  return text;
}

std::string verdict_text(const WatchedLoader& watched, const LoaderVerdict& verdict) {
  if (verdict.bottleneck == Bottleneck::kGpu) {
    return "GPU-BOUND: nothing left to win by loading faster";
  }
  std::string text = fmt::format("{}: {}; at most {:.2f}x to win.", bound_name(verdict),
                                 cause_text(watched), verdict.most_to_win());
  return text + fmt::format(" {} {} usable, {} {} by workers.", watched.process.cpus,
                            watched.process.cpus == 1 ? "CPU is" : "CPUs are",
                            watched.loader.num_workers,
                            watched.loader.num_workers == 1 ? "is used" : "are used");
}

}  // namespace feedrate
