// A cell's settings as typed values: what the engine runs.
#pragma once
#include <optional>
#include <string>

#include "core/setting.h"
#include "loaders/options.h"
#include "trainers/trainer.h"

namespace feedrate {

struct BurnSpec {
  Nanos step{};
  std::size_t reference_batch = 1;
};

enum class EngineKind { kNative, kTorch };

struct CellSpec {
  EngineKind engine = EngineKind::kNative;
  std::string emulate;  ///< path of a cost profile; empty: none
  std::string format;   ///< empty: as the dataset is
  bool cached_loader = false;
  ResolvedLoaderOptions loader;
  std::string device;
  DeviceTrainerOptions transfer;  ///< batch_bytes is left for the engine
  std::optional<BurnSpec> burn;   ///< empty: batches are discarded
};

/// REQUIRES: settings of a cell that is not skipped. Throws ConfigError as resolve() does.
[[nodiscard]] CellSpec make_cell_spec(const Settings& settings, std::uint64_t seed);

}  // namespace feedrate
