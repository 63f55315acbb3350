// SPDX-License-Identifier: Apache-2.0
// A cell's settings as typed values: what the engine runs.
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

/// A step's knobs as they are set, whichever the trainer needs.
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

/// The processes that train together.
struct JobSpec {
  std::size_t ranks = 1;
  std::size_t ranks_per_node = 1;
  Affinity affinity = Affinity::none;
  std::size_t all_reduce_bytes = 0;  ///< of each step; 0: none
};

enum class EngineKind { kNative, kTorch };

/// Of the dataset's files, before each start of the loader: what lies there, all, or nothing.
enum class CacheState { kAsIs, kWarm, kCold };

struct CellSpec {
  CellSettings settings;  ///< what it was made of
  EngineKind engine = EngineKind::kNative;
  std::string emulate;      ///< path of a cost profile; empty: none
  std::string environment;  ///< of PyTorch's process beside its own: "NAME=VALUE NAME=VALUE"
  std::size_t parent_ballast_bytes = 0;  ///< that PyTorch's process holds when workers are forked
  std::string forkserver_preload;        ///< modules, with a space between them; empty: none
  std::size_t worker_threads = 0;  ///< of libraries in PyTorch's workers; 0: as these set them
  std::string format;              ///< empty: as the dataset is
  std::string variant;             ///< of dataset.variants; empty: there are none
  bool presampled = false;         ///< pipeline.sample_points was done beforehand
  std::size_t chunk = 0;           ///< samples a chunk; 0: as the format has it
  std::string codec;               ///< of its chunks; empty: as the format has it
  CacheState cache = CacheState::kAsIs;
  StagingMode staging = StagingMode::kNone;
  ReadOptions reads;
  Decoding decoding = Decoding::kLibrary;
  std::optional<Padding> padding;  ///< of sequences, where there are any
  bool cached_loader = false;
  std::string loader_factory;    ///< MODULE:FUNCTION; empty: torch.utils.data.DataLoader
  LoaderOptions asked;           ///< the loader's, as they are set
  bool has_own_batches = false;  ///< batch_size null: each item of the dataset is a batch
  ResolvedLoaderOptions loader;
  std::string device;
  /// What crosses to the device; empty: what the pipeline makes.
  std::optional<SampleDtype> wire;
  bool normalize_on_gpu = false;
  bool transforms_on_gpu = false;
  bool decodes_on_gpu = false;
  OnDevice on_device = OnDevice::kNothing;
  DeviceTrainerOptions transfer;  ///< …_bytes and normalize are left for the engine
  StepKnobs step;
  // At most one of these; without any, the step is the user's own, or batches are discarded.
  std::optional<BurnSpec> burn;
  std::optional<ModelStep> gemms;
  std::optional<TraceSpec> trace;
  bool cuda_graph = false;
  JobSpec job;

  /// By a step of the user's own.
  [[nodiscard]] bool has_own_step() const noexcept { return step.trainer == "torch"; }
  [[nodiscard]] bool trains() const noexcept { return burn || gemms || trace || has_own_step(); }
};

/// What each knob sets, and no more: `loader`, `burn`, `gemms` and `trace` are not made of it yet.
/// REQUIRES: canonicalized settings
[[nodiscard]] CellSpec read_settings(const CellSettings& settings);

/// The dataset that it reads.
[[nodiscard]] DatasetCopy copy_of(const CellSpec& cell);

/// REQUIRES: settings of a cell that is not skipped. Throws ConfigError as resolve() does.
[[nodiscard]] CellSpec make_cell_spec(const CellSettings& settings, std::uint64_t seed);

}  // namespace feedrate
