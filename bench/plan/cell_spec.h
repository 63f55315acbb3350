// SPDX-License-Identifier: Apache-2.0
// A cell's settings as typed values, for the engine.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "bench/plan/cell_settings.h"
#include "bench/ranks/placement.h"
#include "bench/trainers/trainer.h"
#include "formats/datasets/stage.h"
#include "formats/datasets/sweep_dataset.h"
#include "formats/read_options.h"
#include "loaders/decode/transform.h"
#include "loaders/options.h"

namespace feedrate {

struct BurnSpec {
  Nanos step{};
  std::size_t reference_batch = 1;
};

struct TraceSpec {
  std::vector<Nanos> steps;
  std::size_t reference_batch = 1;
};

/// A step's knobs; a trainer reads those that it needs.
struct StepKnobs {
  std::string trainer;
  Nanos step{};                        ///< of burn
  std::vector<Nanos> steps;            ///< of trace
  std::vector<StepGemm> shapes;        ///< of gemm
  std::string model;                   ///< of cnn
  std::string factory;                 ///< of torch: MODULE:FUNCTION
  std::optional<Precision> precision;  ///< empty: kFp32
  std::size_t reference_batch = 0;
};

struct JobSpec {
  std::size_t ranks = 1;
  std::size_t ranks_per_node = 1;
  Affinity affinity = Affinity::none;
  std::size_t all_reduce_bytes = 0;  ///< per step; 0: none
};

enum class EngineKind { kNative, kTorch };

/// The page cache's state before each start of the loader: left as it is, all files read, or none.
enum class CacheState { kAsIs, kWarm, kCold };

struct CellSpec {
  CellSettings settings;  ///< the settings that this was made from
  EngineKind engine = EngineKind::kNative;
  std::string emulate;      ///< path of a cost profile; empty: none
  std::string environment;  ///< extra variables of PyTorch's process: "NAME=VALUE NAME=VALUE"
  std::size_t parent_ballast_bytes =
      0;                    ///< memory that PyTorch's process holds when it forks workers
  std::string format;       ///< empty: the dataset's
  std::string variant;      ///< of dataset.variants; empty: none
  bool presampled = false;  ///< pipeline.sample_points was done when the dataset was written
  std::size_t chunk = 0;    ///< samples per chunk; 0: the format's default
  std::string codec;        ///< of chunks; empty: the format's default
  CacheState cache = CacheState::kAsIs;
  StagingMode staging = StagingMode::kNone;
  ReadOptions reads;
  Decoding decoding = Decoding::kLibrary;
  std::optional<Padding> padding;  ///< of sequences; empty: no sequences
  bool cached_loader = false;
  std::string loader_factory;    ///< MODULE:FUNCTION; empty: torch.utils.data.DataLoader
  LoaderOptions asked;           ///< the loader's options as set
  bool has_own_batches = false;  ///< batch_size null: each item of the dataset is a batch
  ResolvedLoaderOptions loader;
  std::string device;
  /// The data type sent to the device; empty: the pipeline's.
  std::optional<SampleDtype> wire;
  bool normalize_on_gpu = false;
  bool transforms_on_gpu = false;
  bool decodes_on_gpu = false;
  OnDevice on_device = OnDevice::kNothing;
  DeviceTrainerOptions transfer;  ///< …_bytes and normalize are set by the engine
  StepKnobs step;
  // The engine sets at most one of these; without any, the step is the user's or a discard.
  std::optional<BurnSpec> burn;
  std::optional<ModelStep> gemms;
  std::optional<TraceSpec> trace;
  bool cuda_graph = false;
  JobSpec job;

  [[nodiscard]] bool has_own_step() const noexcept { return step.trainer == "torch"; }
  [[nodiscard]] bool trains() const noexcept { return burn || gemms || trace || has_own_step(); }
};

/// Copies the knobs' values; does not derive `burn`, `gemms`, `trace`, and of `loader` what `asked`
/// has.
/// REQUIRES: canonicalized settings
[[nodiscard]] CellSpec read_settings(const CellSettings& settings);

[[nodiscard]] DatasetCopy copy_of(const CellSpec& cell);

/// REQUIRES: settings of a cell that is not skipped. Throws ConfigError as resolve() does.
[[nodiscard]] CellSpec make_cell_spec(const CellSettings& settings, std::uint64_t seed);

}  // namespace feedrate
