#include "loaders/options.h"

#include <fmt/format.h>

#include "core/error.h"

namespace feedrate {
namespace {

constexpr std::size_t kDefaultPrefetchFactor = 2;  // PyTorch's, where there are workers.

void check(const LoaderOptions& options) {
  if (options.batch_size < 1) {
    throw ConfigError(fmt::format("batch_size: {} is not a positive integer", options.batch_size));
  }
  if (options.num_workers < 0) {
    throw ConfigError(fmt::format(
        "num_workers: {} is negative; 0 loads in the training process, 1 and more in workers",
        options.num_workers));
  }
  if (options.num_workers == 0 && options.prefetch_factor) {
    throw ConfigError("prefetch_factor: has a meaning only with num_workers > 0");
  }
  if (options.num_workers == 0 && options.persistent_workers) {
    throw ConfigError("persistent_workers: needs num_workers > 0");
  }
  if (options.prefetch_factor && *options.prefetch_factor < 1) {
    throw ConfigError(
        fmt::format("prefetch_factor: {} is not a positive integer", *options.prefetch_factor));
  }
}

}  // namespace

ResolvedLoaderOptions resolve(const LoaderOptions& options) {
  check(options);
  const bool has_workers = options.num_workers > 0;
  const auto prefetch = options.prefetch_factor ? static_cast<std::size_t>(*options.prefetch_factor)
                                                : kDefaultPrefetchFactor;
  return {.batch_size = static_cast<std::size_t>(options.batch_size),
          .num_workers = static_cast<std::size_t>(options.num_workers),
          .prefetch_factor = has_workers ? prefetch : 0,
          .persistent_workers = options.persistent_workers,
          .memory = options.pin_memory ? HostMemory::kPinned : HostMemory::kPageable,
          .shuffle = options.shuffle,
          .drop_last = options.drop_last,
          .in_order = options.in_order,
          .seed = options.seed,
          .timeout = from_seconds(options.timeout),
          .multiprocessing_context = options.multiprocessing_context.value_or("fork"),
          .worker_type = options.worker_type,
          .transport = options.transport};
}

}  // namespace feedrate
