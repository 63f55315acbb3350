// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include "analysis/profile/rules.h"

namespace feedrate {
namespace {

const char* start_up_text(const RunFacts& facts) {
  if (facts.num_workers == std::size_t{0}) {
    return "Epochs start slowly: opening the dataset or reading its first records takes long.";
  }
  if (facts.persistent_workers.value_or(false)) {
    return "Epochs start slowly despite persistent workers: use fewer workers, smaller batches or "
           "fewer, longer epochs.";
  }
  return "Epochs start slowly because workers are restarted. Set persistent_workers, or use fewer "
         "workers.";
}

}  // namespace

std::optional<Advice> advise_prefetch(const AdviceInput& input) {
  const double share = input.execution.share(Role::kDataLoader);
  if (!(share > kDataLoadingLimit) || input.facts.num_workers.value_or(0) == 0 ||
      input.facts.prefetch_factor != std::size_t{1}) {
    return std::nullopt;
  }
  return Advice{
      AdviceRule::kPrefetch,
      "Raise prefetch_factor to 2 or more: a worker with one batch in flight is idle until the "
      "batch is taken.",
      fmt::format("prefetch_factor 1 with num_workers {}; DataLoader {:.1f} % of the step "
                  "(limit {:g} %)",
                  *input.facts.num_workers, 100 * share, 100 * kDataLoadingLimit)};
}

std::optional<Advice> advise_start_up(const AdviceInput& input) {
  const RunFacts& facts = input.facts;
  if (!facts.first_batch_seconds || !facts.batches_per_epoch) return std::nullopt;
  const double steps = input.execution.step_seconds * static_cast<double>(*facts.batches_per_epoch);
  const double epoch = *facts.first_batch_seconds + steps;
  const double share = epoch > 0.0 ? *facts.first_batch_seconds / epoch : 0.0;
  if (!(share > kStartUpLimit)) return std::nullopt;
  return Advice{AdviceRule::kStartUp, start_up_text(facts),
                fmt::format("first batch after {:.3g} s, {:.1f} % of an epoch of {} batches (limit "
                            "{:g} %)",
                            *facts.first_batch_seconds, 100 * share, *facts.batches_per_epoch,
                            100 * kStartUpLimit)};
}

std::optional<Advice> advise_host_memory(const AdviceInput& input) {
  if (!input.facts.host_memory_peak || input.facts.host_memory_limit.value_or(0) == 0) {
    return std::nullopt;
  }
  const auto peak = static_cast<double>(*input.facts.host_memory_peak);
  const auto limit = static_cast<double>(*input.facts.host_memory_limit);
  if (!(peak > kHostMemoryLimit * limit)) return std::nullopt;
  return Advice{
      AdviceRule::kHostMemory,
      "The host's memory is almost full. Use fewer workers or a smaller prefetch_factor, and no "
      "persistent workers for validation.",
      fmt::format("{:.2f} of {:.2f} GiB at the peak, {:.1f} % (limit {:g} %)", peak / kBytesPerGiB,
                  limit / kBytesPerGiB, 100 * peak / limit, 100 * kHostMemoryLimit)};
}

}  // namespace feedrate
