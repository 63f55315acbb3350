#include "plan/cell_spec.h"

#include "plan/knobs.h"
#include "plan/reference_work.h"

namespace feedrate {
namespace {

// A knob that has no meaning in this cell is empty; whoever reads it gets `otherwise`.
template <typename T>
T value(const Settings& settings, const char* name, T otherwise = {}) {
  const T* held = std::get_if<T>(find_setting(settings, name));
  return held ? *held : otherwise;
}

bool flag(const Settings& settings, const char* name, bool otherwise = false) {
  return value<bool>(settings, name, otherwise);
}

std::int64_t integer(const Settings& settings, const char* name) {
  return value<std::int64_t>(settings, name);
}

Transport transport_from_string(const std::string& name) {
  if (name == "file_system") return Transport::kFileSystem;
  return name == "ring" ? Transport::kRing : Transport::kFresh;
}

CacheState cache_from_string(const std::string& word) {
  if (word == "warm") return CacheState::kWarm;
  return word == "cold" ? CacheState::kCold : CacheState::kAsIs;
}

Decoding decoding_from_string(const std::string& word) {
  if (word == "fast") return Decoding::kFast;
  return word == "scaled" ? Decoding::kScaled : Decoding::kLibrary;
}

std::optional<Padding> padding_from_string(const std::string& word) {
  if (word == "max_length") return Padding::kMaxLength;
  return word == "longest" ? std::optional(Padding::kLongest) : std::nullopt;
}

ReadOptions read_options(const Settings& settings) {
  const bool mixed = flag(settings, "shuffle") || flag(settings, "group_by_length");
  return {.order = mixed ? ReadOrder::kRandom : ReadOrder::kSequential,
          .hdf5 = value<std::string>(settings, "hdf5_reads") == "direct" ? Hdf5Reads::kDirect
                                                                         : Hdf5Reads::kLibrary,
          .batch = flag(settings, "batched_reads") ? BatchReads::kTogether : BatchReads::kOneByOne};
}

LoaderOptions loader_options(const Settings& settings, std::uint64_t seed) {
  LoaderOptions options;
  options.batch_size = integer(settings, "batch_size");
  options.num_workers = integer(settings, "num_workers");
  if (options.num_workers > 0) options.prefetch_factor = integer(settings, "prefetch_factor");
  options.persistent_workers = flag(settings, "persistent_workers");
  options.pin_memory = flag(settings, "pin_memory");
  options.shuffle = flag(settings, "shuffle");
  if (options.shuffle) options.shuffle_window = integer(settings, "shuffle_window");
  options.group_by_length = flag(settings, "group_by_length");
  options.drop_last = flag(settings, "drop_last");
  options.in_order = flag(settings, "in_order", true);
  options.seed = seed;
  if (options.num_workers == 0) return options;
  options.timeout = value<double>(settings, "timeout");
  const auto start_method = value<std::string>(settings, "multiprocessing_context", "default");
  if (start_method != "default") options.multiprocessing_context = start_method;
  options.worker_type = value<std::string>(settings, "worker_type") == "thread"
                            ? WorkerType::kThread
                            : WorkerType::kProcess;
  options.transport = transport_from_string(value<std::string>(settings, "transport"));
  return options;
}

DeviceTrainerOptions transfer_options(const Settings& settings) {
  DeviceTrainerOptions options;
  options.non_blocking = flag(settings, "non_blocking");
  options.copy_stream =
      value<std::string>(settings, "copy_stream") == "side" ? CopyStream::kSide : CopyStream::kSame;
  options.sync_every = static_cast<std::size_t>(integer(settings, "sync_every"));
  options.host_overhead = from_seconds(value<double>(settings, "host_overhead_us") * 1e-6);
  options.device_prefetch = static_cast<std::size_t>(integer(settings, "device_prefetch"));
  options.resident = value<std::string>(settings, "loader") == "resident";
  return options;
}

SyncPolicy sync_from_string(const std::string& name) {
  if (name == "spin") return SyncPolicy::kSpin;
  if (name == "yield") return SyncPolicy::kYield;
  return name == "block" ? SyncPolicy::kBlock : SyncPolicy::kAuto;
}

DeviceOptions device_options(const Settings& settings) {
  return {.sync = sync_from_string(value<std::string>(settings, "sync")),
          .pin_allocator = value<std::string>(settings, "pin_allocator") == "register"
                               ? PinAllocator::kRegister
                               : PinAllocator::kHostAlloc};
}

std::optional<SampleDtype> wire_from_string(const std::string& name) {
  if (name == "uint8") return SampleDtype::kUint8;
  if (name == "float16") return SampleDtype::kFloat16;
  return name == "float32" ? std::optional(SampleDtype::kFloat32) : std::nullopt;
}

JobSpec job_spec(const Settings& settings) {
  const auto ranks = value<std::int64_t>(settings, "ranks", 1);
  if (ranks == 1) return {};
  const std::int64_t per_node = integer(settings, "ranks_per_node");
  return {.ranks = static_cast<std::size_t>(ranks),
          .ranks_per_node = static_cast<std::size_t>(per_node == 0 ? ranks : per_node),
          .affinity = parse_affinity(value<std::string>(settings, "affinity", "none")),
          .all_reduce_bytes = static_cast<std::size_t>(integer(settings, "all_reduce_bytes"))};
}

void add_trainer(CellSpec& spec, const Settings& settings) {
  const auto trainer = value<std::string>(settings, "trainer");
  const auto reference_batch = static_cast<std::size_t>(integer(settings, "reference_batch"));
  const auto precision = value<std::string>(settings, "precision");
  const Precision arithmetic = precision_from_string(precision.empty() ? "fp32" : precision);
  if (trainer == "burn") {
    spec.burn = {from_seconds(value<double>(settings, "step_ms") * 1e-3), reference_batch,
                 value<double>(settings, "memory_intensity")};
  } else if (trainer == "gemm") {
    spec.gemms = {parse_gemms(value<std::string>(settings, "shapes")), reference_batch, arithmetic};
  } else if (trainer == "cnn") {
    spec.gemms = {model_gemms(value<std::string>(settings, "model")), 1, arithmetic};
  } else if (trainer == "trace") {
    spec.trace = {parse_steps(value<std::string>(settings, "steps_ms")), reference_batch};
  }
}

}  // namespace

CellSpec make_cell_spec(const Settings& settings, std::uint64_t seed) {
  CellSpec spec;
  spec.settings = settings;
  if (value<std::string>(settings, "engine") == "torch") spec.engine = EngineKind::kTorch;
  spec.emulate = value<std::string>(settings, "emulate");
  spec.format = value<std::string>(settings, "format");
  spec.presampled = flag(settings, "presampled");
  spec.cache = cache_from_string(value<std::string>(settings, "cache"));
  spec.staging = staging_from_string(value<std::string>(settings, "staging"));
  spec.reads = read_options(settings);
  spec.decoding = decoding_from_string(value<std::string>(settings, "decoder"));
  spec.padding = padding_from_string(value<std::string>(settings, "padding"));
  spec.cached_loader = has_mock_loader(settings);
  spec.loader = resolve(loader_options(settings, seed));
  spec.job = job_spec(settings);
  // DistributedSampler has a drop_last of its own; who drops batches drops the uneven rest, too.
  spec.loader.shard = {.replicas = spec.job.ranks, .drop_last = spec.loader.drop_last};
  spec.device = value<std::string>(settings, "device");
  spec.device_options = device_options(settings);
  spec.wire = wire_from_string(value<std::string>(settings, "wire_dtype"));
  if (value<std::string>(settings, "transforms_on") == "gpu") {
    const bool decodes = value<std::string>(settings, "decoder") == "nvjpeg";
    spec.on_device = decodes ? OnDevice::kDecodingAndTransforms : OnDevice::kTransforms;
  }
  spec.normalize_on_gpu = value<std::string>(settings, "normalize_on") == "gpu";
  add_trainer(spec, settings);
  if (spec.trains()) spec.transfer = transfer_options(settings);
  spec.cuda_graph = flag(settings, "cuda_graph");
  return spec;
}

}  // namespace feedrate
