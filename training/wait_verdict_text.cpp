// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/format.h"
#include "core/statistics.h"
#include "training/summary_text.h"
#include "training/wait_verdict.h"

namespace feedrate {
namespace {

using Arguments = std::vector<std::pair<std::string, std::string>>;

// The arguments that feedrate may change: num_workers, and those that are not PyTorch's default.
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

double cpu_share(const WatchedLoader& watched) {
  return watched.fetch_wall > 0.0 ? watched.fetch_cpu / watched.fetch_wall : 1.0;
}

// Whether most batches are the first ones of their epochs.
bool begins_each_step(const WatchedLoader& watched) {
  return 2 * watched.first_batches.epochs > watched.batches;
}

std::string seconds_text(double seconds) { return format_value(seconds, Unit::kSeconds); }

// "train.py:42", with the dataset if another part is on the same line.
std::string part_name(const StepPart& part, const std::vector<StepPart>& all) {
  const ScriptLoader& loader = part.loader->loader;
  const auto on_line = std::count_if(all.begin(), all.end(), [&](const StepPart& other) {
    return other.loader->loader.site == loader.site;
  });
  return on_line > 1 ? fmt::format("{} {}", site_text(loader.site), loader.dataset)
                     : site_text(loader.site);
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

}  // namespace

std::string cause_text(const WatchedLoader& watched, const WaitVerdict& verdict) {
  if (verdict.has_first_batches && begins_each_step(watched)) {
    return "the loader is begun at each step: keep its iterator";
  }
  const LoadingEvidence& evidence = watched.evidence;
  const LoadingCause cause = cause_of(evidence, cpu_share(watched));
  if (watched.loader.num_workers > 0) return "the workers " + cause_text(cause, evidence, false);
  return "the training thread loads itself (num_workers=0), and " +
         cause_text(cause, evidence, true);
}

std::string bottleneck_name(const WatchedLoader& watched, const WaitVerdict& verdict) {
  const Bound bound = bound_of(verdict);
  if (bound == Bound::kGpu) return to_string(Bottleneck::kGpu);
  if (bound == Bound::kBalanced) return to_string(Bottleneck::kBalanced);
  if (bound != Bound::kInput) return {};
  const LoadingCause cause = cause_of(watched.evidence, cpu_share(watched));
  if (cause == LoadingCause::kComputes) return to_string(Bottleneck::kDecode);
  return cause == LoadingCause::kReadsStorage ? to_string(Bottleneck::kStorage) : "";
}

std::string loader_text(const ScriptLoader& loader) {
  const std::string text = fmt::format("{} {}", site_text(loader.site), call_text(loader));
  return loader.library.empty() ? text : fmt::format("{} of {}", text, loader.library);
}

std::string site_text(std::string_view site) {
  return std::string(site.substr(site.rfind('/') + 1));
}

std::string times_text(const WatchedLoader& watched, const WaitVerdict& verdict) {
  std::string text =
      fmt::format("loading {} ({:.0f} %), training {}", seconds_text(verdict.times.loading),
                  100.0 * verdict.times.loading_share(), seconds_text(verdict.times.training));
  if (verdict.gpu_idle) text += fmt::format(", GPU idle {:.0f} %", 100.0 * *verdict.gpu_idle);
  if (verdict.batches_per_step > 1) {
    text += fmt::format(", {} batches a step", verdict.batches_per_step);
  }
  const auto& epochs = watched.epochs;
  if (!epochs.empty()) {
    text += "; first batch " + seconds_text(to_seconds(epochs.front().first_batch));
  }
  if (!watched.epoch_gaps.empty()) {
    text += ", between epochs " + seconds_text(median(watched.epoch_gaps));
  }
  return text;
}

std::vector<std::string> scope_lines(const WaitVerdict& verdict) {
  std::vector<std::string> lines;
  if (!verdict.parts.empty()) {
    std::vector<std::string> parts;
    for (const StepPart& part : verdict.parts) {
      parts.push_back(
          fmt::format("{} {}", part_name(part, verdict.parts), seconds_text(part.loading)));
    }
    lines.push_back(
        fmt::format("{} loaders give to each step: {}", parts.size(), fmt::join(parts, ", ")));
  }
  if (verdict.has_first_batches) {
    lines.emplace_back("the first batches of epochs are part of these times");
  }
  if (verdict.paused > 0.0) {
    lines.push_back(
        fmt::format("{} of pauses (validation, checkpoints, other loops) are not "
                    "counted",
                    seconds_text(verdict.paused)));
  }
  return lines;
}

std::string verdict_text(const WatchedLoader& watched, const WaitVerdict& verdict,
                         bool is_before_tuning) {
  return wait_text(verdict, {cause_text(watched, verdict), watched.process.cpus,
                             watched.loader.num_workers, is_before_tuning});
}

}  // namespace feedrate
