// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <initializer_list>
#include <utility>

#include "bench/plan/cell_spec.h"
#include "bench/plan/knobs.h"
#include "bench/plan/values.h"

namespace feedrate {
namespace {

using enum KnobType;

std::vector<Idle> only_with(std::initializer_list<IdleWith> trainers) {
  std::vector<Idle> idle;
  for (const IdleWith other : {IdleWith::kDiscard, IdleWith::kBurn, IdleWith::kGemm, IdleWith::kCnn,
                               IdleWith::kTrace, IdleWith::kOwnStep}) {
    if (std::find(trainers.begin(), trainers.end(), other) == trainers.end())
      idle.push_back({other});
  }
  return idle;
}

// Ignores a value of another type, which an old result may hold.
template <typename Field>
void put(Field& field, const SettingValue& value) {
  if (const auto* const held = std::get_if<Field>(&value)) field = *held;
}

void put(std::optional<std::int64_t>& field, const SettingValue& value) {
  if (const auto* const held = std::get_if<std::int64_t>(&value)) field = *held;
}

std::size_t count(const SettingValue& value) {
  const auto* const held = std::get_if<std::int64_t>(&value);
  return held ? static_cast<std::size_t>(*held) : 0;
}

double number(const SettingValue& value) {
  const auto* const held = std::get_if<double>(&value);
  return held ? *held : 0.0;
}

bool is(const SettingValue& value, std::string_view word) { return to_string(value) == word; }

template <typename Enum>
Enum one_of(const SettingValue& value, Enum otherwise,
            std::initializer_list<std::pair<std::string_view, Enum>> words) {
  for (const auto& [word, meaning] : words) {
    if (is(value, word)) return meaning;
  }
  return otherwise;
}

std::vector<Knob> rows() {
  using enum IdleWith;
  return {
      {
          .id = KnobId::num_workers,
          .name = "num_workers",
          .section = "loader",
          .type = kInteger,
          .fallback = "0",
          .most = 4096,
          .role = KnobRole::kChoice,
          .work = KnobWork::kNeither,
          .is_modelled = true,
          .is_alike = true,
          .is_default_today = true,
          .idle = {{kMockLoader}},
          .argument = {.position = 3},
          .set = [](CellSpec& c, const SettingValue& v) { put(c.asked.num_workers, v); },
          .most_used = 1,
          .help =
              "number of worker processes; 0 loads in the training thread, which blocks training",
      },
      {
          .name = "persistent_workers",
          .section = "loader",
          .type = kBool,
          .fallback = "false",
          .role = KnobRole::kChoice,
          .work = KnobWork::kNeither,
          .is_modelled = true,
          .is_alike = true,
          .is_default_today = true,
          .idle = {{kMockLoader}, {kNoWorkers}},
          .argument = {.position = 6, .needs_workers = true},
          .set = [](CellSpec& c, const SettingValue& v) { put(c.asked.persistent_workers, v); },
          .most_used = 3,
          .help = "keep the workers alive between epochs",
          .docs = "keeps the workers alive between epochs, which shortens `first_batch_time`",
      },
      {
          .id = KnobId::pin_memory,
          .name = "pin_memory",
          .section = "loader",
          .type = kBool,
          .fallback = "false",
          .role = KnobRole::kChoice,
          .work = KnobWork::kNeither,
          .is_modelled = true,
          .is_default_today = true,
          .idle = {{kResidentBatch, "false"}, {kOnCpu, "false"}},
          .argument = {.position = 5},
          .set = [](CellSpec& c, const SettingValue& v) { put(c.asked.pin_memory, v); },
          .most_used = 4,
          .help = "copy batches to page-locked memory",
          .docs = "copies batches to page-locked memory: faster copies to the GPU, and the "
                  "condition for `non_blocking`",
      },
      {
          .id = KnobId::non_blocking,
          .name = "non_blocking",
          .section = "device",
          .type = kBool,
          .fallback = "false",
          .role = KnobRole::kChoice,
          .work = KnobWork::kNeither,
          .is_modelled = true,
          .is_default_today = true,
          .idle = {{kDiscard}, {kOnCpu}, {kPageable, "false"}},
          .set = [](CellSpec& c, const SettingValue& v) { put(c.transfer.non_blocking, v); },
          .most_used = 5,
          .help = "the copy call returns before the copy is done (from pinned memory)",
          .counterpart = "`x.to(device, non_blocking=)`",
          .docs = "the copy call returns before the copy is done; only from pinned memory",
      },
      {
          .name = "prefetch_factor",
          .section = "loader",
          .type = kInteger,
          .fallback = "2",
          .most = 4096,
          .role = KnobRole::kChoice,
          .work = KnobWork::kNeither,
          .is_modelled = true,
          .is_alike = true,
          .is_default_today = true,
          .idle = {{kMockLoader}, {kNoWorkers}},
          .argument = {.position = 4, .needs_workers = true},
          .set = [](CellSpec& c, const SettingValue& v) { put(c.asked.prefetch_factor, v); },
          .most_used = 2,
          .help = "batches loaded ahead per worker; 0 fails the cell, as in PyTorch",
          .docs = "batches loaded ahead per worker: more absorb slow batches, but use memory",
      },
      {
          .id = KnobId::drop_last,
          .name = "drop_last",
          .section = "loader",
          .type = kBool,
          .fallback = "false",
          .role = KnobRole::kCondition,
          .work = KnobWork::kNeither,
          .is_modelled = true,
          .is_alike = true,
          .changes_training = true,
          .idle = {{kMockLoader}, {kOwnBatches}},
          .argument = {.position = 7},
          .set = [](CellSpec& c, const SettingValue& v) { put(c.asked.drop_last, v); },
          .help = "drop the last batch if it is incomplete",
      },
      {
          .id = KnobId::batch_size,
          .name = "batch_size",
          .section = "loader",
          .type = kInteger,
          .fallback = "64",
          .least = 1,
          .most = kMany,
          .takes_null = true,
          .role = KnobRole::kChoice,
          .work = KnobWork::kBoth,
          .changes_training = true,
          .argument = {.position = 1},
          .set =
              [](CellSpec& c, const SettingValue& v) {
                put(c.asked.batch_size, v);
                c.has_own_batches = is(v, "null");
              },
          .most_used = 6,
          .help = "samples per batch; null: each item of a dataset of your own is a batch",
          .docs = "samples per batch; `null`, for a dataset in Python: each of its items is a "
                  "batch, with as many samples as the first dimension of its first tensor",
      },
      {
          .id = KnobId::format,
          .name = "format",
          .section = "dataset",
          .role = KnobRole::kChoice,
          .work = KnobWork::kLoading,
          .empty_is_a_value = true,
          .needs_conversion = true,
          .idle = {{kMockLoader}},
          .set = [](CellSpec& c, const SettingValue& v) { put(c.format, v); },
          .most_used = 7,
          .help = "storage format; the dataset is converted once if its format differs",
          .counterpart = "your `Dataset`",
          .docs =
              "storage format of the records; the dataset is converted once if its format differs",
      },
      {
          .name = "variant",
          .section = "dataset",
          .role = KnobRole::kChoice,
          .work = KnobWork::kBoth,
          .empty_is_a_value = true,
          .needs_conversion = true,
          .set = [](CellSpec& c, const SettingValue& v) { put(c.variant, v); },
          .help = "which of dataset.variants, datasets of your own, is loaded; all by default",
          .counterpart = "your `Dataset`",
          .docs = "the dataset of your own to load: a name in `dataset.variants`, a value of "
                  "`dataset.axes`, or both; default: all",
      },
      {
          .name = "cache",
          .section = "dataset",
          .fallback = "as-is",
          .choices = {"as-is", "warm", "cold"},
          .role = KnobRole::kCondition,
          .work = KnobWork::kLoading,
          .idle = {{kMockLoader}, {kInMemory, "as-is"}},
          .set =
              [](CellSpec& c, const SettingValue& v) {
                c.cache = one_of(v, CacheState::kAsIs,
                                 {{"warm", CacheState::kWarm}, {"cold", CacheState::kCold}});
              },
          .most_used = 8,
          .help =
              "page cache before each repeat: unchanged, filled by reading the dataset, or dropped",
          .docs = "state of the page cache before each repeat: `as-is`, `warm` (the dataset is "
                  "read once), `cold` (the dataset is dropped, without root)",
      },
      {
          .id = KnobId::hdf5_reads,
          .name = "hdf5_reads",
          .section = "dataset",
          .fallback = "library",
          .choices = {"library", "direct"},
          .role = KnobRole::kChoice,
          .work = KnobWork::kLoading,
          .idle = {{kMockLoader}, {kDataLoader}, {kNoHdf5}, {kNotContiguous, "library"}},
          .own = {.position = 2, .what = "reader", .in_pytorch = {"library"}},
          .set =
              [](CellSpec& c, const SettingValue& v) {
                c.reads.hdf5 = is(v, "direct") ? Hdf5Reads::kDirect : Hdf5Reads::kLibrary;
              },
          .help = "library: HDF5 records are read with H5Dread, as in h5py; direct: records of "
                  "hdf5-contiguous are read with pread",
          .counterpart = "h5py",
          .docs = "`library`: HDF5 records are read with H5Dread, as in h5py; `direct`: records of "
                  "`hdf5-contiguous` are read with `pread` at the offset that HDF5 reports, so "
                  "that threads do not wait for its lock. Always `library` with `engine: torch`",
      },
      {
          .id = KnobId::batched_reads,
          .name = "batched_reads",
          .section = "dataset",
          .type = kBool,
          .fallback = "false",
          .role = KnobRole::kChoice,
          .work = KnobWork::kLoading,
          .idle = {{kMockLoader}, {kDataLoader}, {kHdf5Library}},
          .own = {.position = 3, .what = "reader", .in_pytorch = {"false"}},
          .set =
              [](CellSpec& c, const SettingValue& v) {
                c.reads.batch = is(v, "true") ? BatchReads::kTogether : BatchReads::kOneByOne;
              },
          .help = "request all records of a batch from storage before reading the first, as "
                  "__getitems__ can",
          .counterpart = "`Dataset.__getitems__`",
          .docs =
              "requests all records of a batch from storage before reading the first: faster for "
              "cold data, whose reads otherwise wait for each other. Not with `engine: torch`",
      },
      {
          .id = KnobId::requests_in_flight,
          .name = "requests_in_flight",
          .section = "dataset",
          .type = kInteger,
          .least = 1,
          .most = kMany,
          .role = KnobRole::kChoice,
          .work = KnobWork::kLoading,
          .empty_is_a_value = true,
          .idle = {{kMockLoader}, {kOneByOne}},
          .own = {.position = 4, .what = "reader", .in_pytorch = {""}},
          .set =
              [](CellSpec& c, const SettingValue& v) {
                c.reads.requests_in_flight = static_cast<int>(count(v));
              },
          .help = "a dataset on a server, with batched_reads: how many requests each worker has "
                  "under way at a time",
          .counterpart = "`max_concurrency` of s3fs and boto3",
          .docs = "concurrent requests per worker to a dataset on a server (`s3://`, `http://`), "
                  "with `batched_reads`; default: 16",
      },
      {
          .id = KnobId::staging,
          .name = "staging",
          .section = "dataset",
          .fallback = "none",
          .choices = {"none", "copy", "ram"},
          .role = KnobRole::kChoice,
          .work = KnobWork::kLoading,
          .idle = {{kMockLoader}},
          .set = [](CellSpec& c,
                    const SettingValue& v) { c.staging = staging_from_string(to_string(v)); },
          .help = "none: read the dataset in place; copy: copy it to local storage of the node "
                  "first; ram: to /dev/shm",
          .counterpart = "your job script's `cp`",
          .docs = "`none`: the dataset is read in place; `copy`: it is first copied to local "
                  "storage of the node (`SLURM_TMPDIR`, else `TMPDIR`, else `/tmp`); `ram`: it is "
                  "first copied to `/dev/shm`. A sweep copies once; `dataset.staging_folder` names "
                  "another folder; see [shared-storage.md](shared-storage.md)",
      },
      {
          .name = "presampled",
          .section = "dataset",
          .type = kBool,
          .fallback = "false",
          .role = KnobRole::kCondition,
          .work = KnobWork::kLoading,
          .changes_training = true,
          .idle = {{kMockLoader}},
          .set = [](CellSpec& c, const SettingValue& v) { put(c.presampled, v); },
          .help = "point clouds hold only the points of sample_points, drawn once before the sweep",
          .counterpart = "preprocessing before the training",
          .docs = "the points of `transforms: [sample_points: N]` are drawn once, into a smaller "
                  "copy of the dataset, instead of again in each epoch",
      },
      {
          .name = "chunk",
          .section = "dataset",
          .type = kInteger,
          .least = 1,
          .most = kMany,
          .role = KnobRole::kChoice,
          .work = KnobWork::kLoading,
          .empty_is_a_value = true,
          .needs_conversion = true,
          .idle = {{kMockLoader}, {kNoChunks}},
          .set = [](CellSpec& c, const SettingValue& v) { c.chunk = count(v); },
          .help = "formats hdf5-decoded and zarr: samples per chunk; the dataset is converted once "
                  "for each",
          .counterpart = "your `Dataset`",
          .docs = "formats `hdf5-decoded` and `zarr`: samples per chunk, which is always unpacked "
                  "whole; the dataset is converted once for each value; default: the chunks of "
                  "`dataset.path`, else 1",
      },
      {
          .name = "codec",
          .section = "dataset",
          .choices = {"none", "gzip", "zstd", "blosc-lz4", "blosc-zstd"},
          .role = KnobRole::kChoice,
          .work = KnobWork::kLoading,
          .empty_is_a_value = true,
          .needs_conversion = true,
          .idle = {{kMockLoader}, {kNoZarr}},
          .set = [](CellSpec& c, const SettingValue& v) { put(c.codec, v); },
          .help = "format zarr: how chunks are compressed; the dataset is converted once for each",
          .counterpart = "your `Dataset`",
          .docs = "format `zarr`: compression of the chunks; the dataset is converted once for "
                  "each value; default: that of `dataset.path`, else none",
      },
      {
          .id = KnobId::decoder,
          .name = "decoder",
          .section = "pipeline",
          .fallback = "library",
          .choices = {"library", "fast", "scaled", "nvjpeg"},
          .role = KnobRole::kChoice,
          .work = KnobWork::kLoading,
          .idle = {{.with = kMockLoader, .kept = "nvjpeg"},
                   {.with = kDataLoader, .kept = "nvjpeg"}},
          .own = {.position = 1, .what = "decoder", .in_pytorch = {"library", "nvjpeg"}},
          .set =
              [](CellSpec& c, const SettingValue& v) {
                c.decodes_on_gpu = is(v, "nvjpeg");
                c.decoding = one_of(v, Decoding::kLibrary,
                                    {{"fast", Decoding::kFast}, {"scaled", Decoding::kScaled}});
              },
          .help = "library: decode whole images with libjpeg-turbo and libpng, as in Pillow; fast: "
                  "identical pixels, but only the cropped part of a JPEG; scaled: like fast, with "
                  "large JPEGs decoded at a smaller scale; nvjpeg: decode on the device, with "
                  "transforms_on gpu",
          .docs = "`library`: decodes whole images with libjpeg-turbo and libpng, as Pillow does; "
                  "`fast`: identical pixels, but only the cropped part of a JPEG; `scaled`: like "
                  "`fast`, but a JPEG at least twice as large as needed is decoded at 1/2, 1/4 or "
                  "1/8 of its size, as with Pillow's `draft`, which changes pixels slightly; "
                  "`nvjpeg`: JPEG files are copied to the GPU, which decodes them, with "
                  "`transforms_on: gpu` ([how](adr/0021-images-on-the-device.md))",
      },
      {
          .id = KnobId::padding,
          .name = "padding",
          .section = "pipeline",
          .choices = {"longest", "max_length"},
          .role = KnobRole::kChoice,
          .work = KnobWork::kBoth,
          .set =
              [](CellSpec& c, const SettingValue& v) {
                c.padding = is(v, "max_length") ? Padding::kMaxLength : Padding::kLongest;
              },
          .help = "pad token sequences to the longest of the batch (default), or to the length of "
                  "the transform tokens",
          .counterpart = "Hugging Face's `padding=`",
          .docs = "pads token sequences: `longest` to the longest of the batch (default), "
                  "`max_length` to the length in `transforms: [tokens: N]`; adds `padding_share` "
                  "and `tokens_per_second`",
      },
      {
          .id = KnobId::shuffle,
          .name = "shuffle",
          .section = "loader",
          .type = kBool,
          .fallback = "false",
          .role = KnobRole::kCondition,
          .work = KnobWork::kLoading,
          .changes_training = true,
          .idle = {{kMockLoader}},
          .argument = {.position = 2},
          .set = [](CellSpec& c, const SettingValue& v) { put(c.asked.shuffle, v); },
          .help = "new random order each epoch",
      },
      {
          .name = "shuffle_window",
          .section = "loader",
          .type = kInteger,
          .fallback = "0",
          .most = kMany,
          .role = KnobRole::kCondition,
          .work = KnobWork::kLoading,
          .changes_training = true,
          .idle = {{kMockLoader}, {kNoShuffle, "0"}},
          .own = {.position = 5, .what = "sampler", .in_pytorch = {"0"}},
          .set = [](CellSpec& c, const SettingValue& v) { put(c.asked.shuffle_window, v); },
          .help = "shuffle within windows of this many records, so that reads stay local; 0: all "
                  "records",
          .counterpart = "FFCV's `OrderOption.QUASI_RANDOM`",
          .docs = "with `shuffle`: shuffles windows of this many consecutive records, and the "
                  "records within each window, so that reads stay local but samples are mixed less "
                  "well; 0: shuffles all records",
      },
      {
          .name = "group_by_length",
          .section = "loader",
          .type = kBool,
          .fallback = "false",
          .role = KnobRole::kCondition,
          .work = KnobWork::kLoading,
          .changes_training = true,
          .idle = {{kMockLoader}, {kPaddedAlike, "false"}},
          .set = [](CellSpec& c, const SettingValue& v) { put(c.asked.group_by_length, v); },
          .help = "batch sequences of similar length, as in Hugging Face's Trainer",
          .counterpart = "Hugging Face's `TrainingArguments(group_by_length=True)`, since "
                         "transformers 5 `train_sampling_strategy=\"group_by_length\"`",
          .docs = "batches sequences of similar length, in the order of Hugging Face's "
                  "LengthGroupedSampler",
      },
      {
          .name = "in_order",
          .section = "loader",
          .type = kBool,
          .fallback = "true",
          .role = KnobRole::kChoice,
          .work = KnobWork::kNeither,
          .is_modelled = true,
          .is_default_today = true,
          .idle = {{kMockLoader}, {kNoWorkers}},
          .argument = {.position = 9, .otherwise = "true"},
          .set = [](CellSpec& c, const SettingValue& v) { put(c.asked.in_order, v); },
          .help = "return batches in sampler order; false: in order of completion",
      },
      {
          .name = "timeout",
          .section = "loader",
          .type = kNumber,
          .fallback = "0",
          .most = 1e7,
          .role = KnobRole::kChoice,
          .work = KnobWork::kNeither,
          .is_modelled = true,
          .is_alike = true,
          .idle = {{kMockLoader}, {kNoWorkers}},
          .argument = {.position = 8, .needs_workers = true, .otherwise = "0"},
          .set = [](CellSpec& c, const SettingValue& v) { put(c.asked.timeout, v); },
          .help = "seconds to wait for a batch before the cell fails; 0: no limit",
      },
      {
          .id = KnobId::multiprocessing_context,
          .name = "multiprocessing_context",
          .section = "loader",
          .fallback = "default",
          .choices = {"default", "fork", "spawn", "forkserver"},
          .role = KnobRole::kChoice,
          .work = KnobWork::kNeither,
          .idle = {{kMockLoader}, {kNoWorkers}},
          .argument = {.position = 10, .needs_workers = true, .otherwise = "default"},
          .set =
              [](CellSpec& c, const SettingValue& v) {
                if (!is(v, "default")) c.asked.multiprocessing_context = to_string(v);
              },
          .help = "start method of worker processes; default: Python's default (forkserver since "
                  "3.14); the native engine always forks",
          .docs = "start method of worker processes: `default`: the default of the Python in use, "
                  "or `fork` with `engine: native`; `fork`; with `engine: torch` also `spawn` and "
                  "`forkserver`",
      },
      {
          .id = KnobId::forkserver_preload,
          .name = "forkserver_preload",
          .section = "loader",
          .is_list = true,
          .role = KnobRole::kChoice,
          .work = KnobWork::kNeither,
          .empty_is_a_value = true,
          .only_torch = true,
          .idle = {{kMockLoader}, {kNoWorkers}, {kNoForkServer}},
          .help =
              "modules that a fork server imports before it forks the workers: [torch, my_data] "
              "is one value, a list of lists several",
          .counterpart = "`multiprocessing.set_forkserver_preload()`",
          .docs = "modules that the server of `multiprocessing_context: forkserver` imports before "
                  "it forks workers; a list is one value, a list of lists several",
      },
      {
          .name = "worker_threads",
          .section = "loader",
          .type = kInteger,
          .fallback = "0",
          .most = 4096,
          .role = KnobRole::kChoice,
          .work = KnobWork::kNeither,
          .only_torch = true,
          .idle = {{kMockLoader}, {kNoWorkers, "0"}},
          .help =
              "threads of torch, OpenCV and numexpr in each worker; 0: as they set them, torch 1",
          .counterpart = "`torch.set_num_threads()` in `worker_init_fn`",
          .docs = "threads of torch in each worker, and of OpenCV and numexpr if the dataset "
                  "imports them; 0: their own defaults (torch: 1)",
      },
      {
          .name = "transport",
          .section = "loader",
          .fallback = "fresh",
          .choices = {"fresh", "file_system"},
          .role = KnobRole::kChoice,
          .work = KnobWork::kNeither,
          .idle = {{kMockLoader}, {kNoWorkers}},
          .set =
              [](CellSpec& c, const SettingValue& v) {
                c.asked.transport =
                    is(v, "file_system") ? Transport::kFileSystem : Transport::kFresh;
              },
          .help = "shared memory from worker to trainer: one segment per tensor, passed by "
                  "descriptor (fresh, PyTorch's default) or by name (file_system)",
          .counterpart = "`torch.multiprocessing.set_sharing_strategy()`",
          .docs = "shared memory from worker to trainer: `fresh` (PyTorch's default) passes each "
                  "tensor's segment by descriptor, `file_system` by name",
      },
      {
          .id = KnobId::engine,
          .name = "engine",
          .section = "",
          .fallback = "native",
          .choices = {"native", "torch", "auto"},
          .role = KnobRole::kInstrument,
          .work = KnobWork::kLoading,
          .idle = {{kMockLoader}},
          .set =
              [](CellSpec& c, const SettingValue& v) {
                c.engine = is(v, "torch") ? EngineKind::kTorch : EngineKind::kNative;
              },
          .most_used = 9,
          .help = "auto: torch where a Python with torch can measure all cells, else native; "
                  "native: feedrate's loader; torch: PyTorch's DataLoader in a child process",
          .docs = "`torch`: PyTorch's DataLoader in a child process; `native`: feedrate's own "
                  "loader; `auto` (default): `torch` if a Python with torch can measure all cells, "
                  "else `native`. The line above the table names the engine and the reason",
      },
      {
          .id = KnobId::environment,
          .name = "environment",
          .section = "",
          .is_list = true,
          .role = KnobRole::kChoice,
          .work = KnobWork::kLoading,
          .empty_is_a_value = true,
          .only_torch = true,
          .idle = {{kMockLoader}},
          .set = [](CellSpec& c, const SettingValue& v) { put(c.environment, v); },
          .help = "environment of PyTorch's process: [OMP_NUM_THREADS=16, MALLOC_ARENA_MAX=2] is "
                  "one value, a list of lists several",
          .counterpart = "`NAME=VALUE python train.py`",
          .docs = "additional variables of PyTorch's process and its workers; a list is one value, "
                  "a list of lists several",
      },
      {
          .id = KnobId::parent_ballast_bytes,
          .name = "parent_ballast_bytes",
          .section = "loader",
          .type = kInteger,
          .fallback = "0",
          .most = 1e12,
          .role = KnobRole::kCondition,
          .work = KnobWork::kLoading,
          .only_torch = true,
          .idle = {{kMockLoader}, {kNoWorkers, "0"}},
          .set = [](CellSpec& c, const SettingValue& v) { c.parent_ballast_bytes = count(v); },
          .help = "memory that PyTorch's process holds when workers start, as a script that has "
                  "loaded a model does",
          .counterpart = "your script",
          .docs = "memory that PyTorch's process holds when its workers start, whose page table "
                  "`fork` copies",
      },
      {
          .id = KnobId::emulate,
          .name = "emulate",
          .section = "",
          .role = KnobRole::kInstrument,
          .work = KnobWork::kLoading,
          .empty_is_a_value = true,
          .idle = {{kMockLoader}, {kDataLoader}},
          .set = [](CellSpec& c, const SettingValue& v) { put(c.emulate, v); },
          .help = "cost profile of `feedrate calibrate`; the native engine adds its costs",
          .docs = "a cost profile of `feedrate calibrate --torch`: the native loader adds the time "
                  "that PyTorch would take",
      },
      {
          .name = "copy_stream",
          .section = "device",
          .fallback = "same",
          .choices = {"same", "side"},
          .role = KnobRole::kChoice,
          .work = KnobWork::kNeither,
          .is_modelled = true,
          .is_default_today = true,
          .idle = {{kResidentBatch, "same"}, {kDiscard}, {kDevicePrefetch, "side"}, {kOnCpu}},
          .set =
              [](CellSpec& c, const SettingValue& v) {
                c.transfer.copy_stream = is(v, "side") ? CopyStream::kSide : CopyStream::kSame;
              },
          .help = "CUDA stream of the copy: same as the step, or a separate (side) stream",
          .counterpart = "`torch.cuda.stream(…)`",
          .docs = "CUDA stream of the copy: `same` as the step, or a separate one, `side`, on "
                  "which it can overlap the previous step's kernels",
      },
      {
          .id = KnobId::device_prefetch,
          .name = "device_prefetch",
          .section = "device",
          .type = kInteger,
          .fallback = "0",
          .most = 2,
          .role = KnobRole::kChoice,
          .work = KnobWork::kNeither,
          .is_modelled = true,
          .is_default_today = true,
          .idle = {{kResidentBatch, "0"}, {kDiscard}, {kOnCpu}},
          .set = [](CellSpec& c, const SettingValue& v) { c.transfer.device_prefetch = count(v); },
          .help = "number of batches (1 or 2) copied to the GPU ahead of time, on a separate "
                  "stream; 0: none",
          .counterpart = "`DataPrefetcher` of the tutorials",
          .docs = "number of batches (1 or 2) copied to the GPU ahead of time, on a separate "
                  "stream; 0: none",
      },
      {
          .name = "wire_dtype",
          .section = "device",
          .choices = {"float32", "float16", "uint8"},
          .role = KnobRole::kChoice,
          .work = KnobWork::kBoth,
          .empty_is_a_value = true,
          .set =
              [](CellSpec& c, const SettingValue& v) {
                c.wire =
                    one_of(v, SampleDtype::kFloat32,
                           {{"uint8", SampleDtype::kUint8}, {"float16", SampleDtype::kFloat16}});
              },
          .help = "type of the data copied to the device; default: output type of the pipeline",
          .counterpart = "`x.half()`, `x.byte()` in the dataset",
          .docs = "type of the data copied to the device: `uint8`, `float16`, `float32`; default: "
                  "output type of the pipeline",
      },
      {
          .name = "normalize_on",
          .section = "device",
          .fallback = "cpu",
          .choices = {"cpu", "gpu"},
          .role = KnobRole::kChoice,
          .work = KnobWork::kBoth,
          .set = [](CellSpec& c, const SettingValue& v) { c.normalize_on_gpu = is(v, "gpu"); },
          .help = "normalize on the CPU in the workers, or on the GPU in a kernel",
          .counterpart = "`x.to(device).float().sub(mean).div(std)`",
          .docs = "`cpu`: workers normalize; `gpu`: images are copied as bytes, and a kernel makes "
                  "normalized float32",
      },
      {
          .name = "transforms_on",
          .section = "device",
          .fallback = "cpu",
          .choices = {"cpu", "gpu"},
          .role = KnobRole::kChoice,
          .work = KnobWork::kBoth,
          .set = [](CellSpec& c, const SettingValue& v) { c.transforms_on_gpu = is(v, "gpu"); },
          .help = "crop, resize, flip and normalize on the CPU in the workers, or on the GPU in a "
                  "kernel",
          .counterpart = "`torchvision.transforms.v2` behind the copy",
          .docs = "`gpu`: whole images are copied, and a kernel crops, resizes, flips and "
                  "normalizes them; needs `random_resized_crop`, or `resize` and `center_crop`, so "
                  "that all have one size. Not with `engine: torch`",
      },
      {
          .id = KnobId::loader,
          .name = "loader",
          .section = "loader",
          .key = "kind",
          .fallback = "dataloader",
          .choices = {"dataloader", "cached", "resident"},
          .role = KnobRole::kCondition,
          .work = KnobWork::kNeither,
          .is_modelled = true,
          .set =
              [](CellSpec& c, const SettingValue& v) {
                c.transfer.resident = is(v, "resident");
                c.cached_loader = !is(v, "dataloader");
              },
          .help = "cached: mock loader that always returns the same batch; resident: the same, "
                  "with the batch already on the device",
          .docs = "`cached`: a mock loader that always returns the same batch, the upper limit of "
                  "tuning; `resident`: the same, with the batch already on the device, so that a "
                  "step has no copy",
      },
      {
          .name = "loader_factory",
          .section = "loader",
          .key = "factory",
          .fallback = "default",
          .role = KnobRole::kChoice,
          .work = KnobWork::kLoading,
          .only_torch = true,
          .idle = {{kMockLoader}},
          .set =
              [](CellSpec& c, const SettingValue& v) {
                if (!is(v, "default")) c.loader_factory = to_string(v);
              },
          .help = "MODULE:FUNCTION that takes the dataset and DataLoader's arguments and returns "
                  "any iterable of batches; default: torch.utils.data.DataLoader",
          .counterpart = "your loader",
          .docs = "`default`: `torch.utils.data.DataLoader`; else MODULE:FUNCTION of a loader of "
                  "your own, which takes the dataset and DataLoader's arguments by name, and "
                  "returns any iterable of batches",
      },
      {
          .id = KnobId::trainer,
          .name = "trainer",
          .section = "trainer",
          .key = "kind",
          .fallback = "burn",
          .choices = {"burn", "gemm", "cnn", "trace", "torch", "discard"},
          .role = KnobRole::kCondition,
          .work = KnobWork::kTrainer,
          .is_modelled = true,
          .set = [](CellSpec& c, const SettingValue& v) { put(c.step.trainer, v); },
          .help = "burn: keeps the device busy for step_ms; gemm: matrix products of shapes; cnn: "
                  "matrix products of model; trace: busy for steps_ms; torch: a step of your own; "
                  "discard: mock trainer without copy and step",
          .docs = "`burn`: keeps the device busy for `step_ms`; `gemm`, `cnn`: multiply matrices; "
                  "`trace`: keeps it busy for each of `steps_ms` in turn; `torch`: your own step, "
                  "`step_factory`; `discard`: a mock trainer, which shows the loader's upper limit",
      },
      {
          .name = "step_factory",
          .section = "trainer",
          .key = "torch",
          .role = KnobRole::kCondition,
          .work = KnobWork::kTrainer,
          .only_torch = true,
          .idle = only_with({kOwnStep}),
          .set = [](CellSpec& c, const SettingValue& v) { put(c.step.factory, v); },
          .help =
              "torch: MODULE:FUNCTION that takes the device and returns the step, a function of a "
              "batch on that device",
          .counterpart = "your step",
          .docs = "trainer `torch`: MODULE:FUNCTION that takes the device and returns your step "
                  "(forward, backward, optimizer), a function of a batch on that device",
      },
      {
          .name = "step_ms",
          .section = "trainer",
          .type = kNumber,
          .fallback = "20",
          .most = 1e7,
          .role = KnobRole::kCondition,
          .work = KnobWork::kTrainer,
          .idle = only_with({kBurn}),
          .set = [](CellSpec& c,
                    const SettingValue& v) { c.step.step = from_seconds(number(v) * 1e-3); },
          .help = "duration of a step of reference_batch samples",
          .counterpart = "your step",
          .docs = "trainer `burn`: duration of a step of `reference_batch` samples",
      },
      {
          .name = "steps_ms",
          .section = "trainer",
          .is_list = true,
          .role = KnobRole::kCondition,
          .work = KnobWork::kTrainer,
          .idle = only_with({kTrace}),
          .set = [](CellSpec& c,
                    const SettingValue& v) { c.step.steps = parse_steps(to_string(v)); },
          .help = "trace: durations of the steps, repeated cyclically",
          .counterpart = "your steps",
          .docs = "trainer `trace`: durations of the steps, repeated cyclically",
      },
      {
          .name = "shapes",
          .section = "trainer",
          .is_list = true,
          .role = KnobRole::kCondition,
          .work = KnobWork::kTrainer,
          .idle = only_with({kGemm}),
          .set = [](CellSpec& c,
                    const SettingValue& v) { c.step.shapes = parse_gemms(to_string(v)); },
          .help = "gemm: matrix products MxNxK*TIMES of a step, with N for reference_batch samples",
          .counterpart = "your layers",
          .docs = "trainer `gemm`: matrix products of a step, `[4096x4096x4096*8, …]`: M×N×K and "
                  "their number",
      },
      {
          .name = "model",
          .section = "trainer",
          .choices = {"surf-cifar10", "resnet50"},
          .role = KnobRole::kCondition,
          .work = KnobWork::kTrainer,
          .idle = only_with({kCnn}),
          .set = [](CellSpec& c, const SettingValue& v) { put(c.step.model, v); },
          .help = "cnn: model whose layers a step computes",
          .counterpart = "your model",
          .docs =
              "trainer `cnn`: model whose layers a step computes, `resnet50` or `surf-cifar10`: "
              "forward, backward and optimizer as matrix products and memory traffic",
      },
      {
          .name = "precision",
          .section = "trainer",
          .choices = {"fp32", "tf32", "bf16", "fp16", "fp8"},
          .role = KnobRole::kCondition,
          .work = KnobWork::kTrainer,
          .idle = only_with({kGemm, kCnn}),
          .set =
              [](CellSpec& c, const SettingValue& v) {
                c.step.precision = precision_from_string(to_string(v));
              },
          .help = "gemm and cnn: precision of the arithmetic; default: fp32",
          .counterpart = "`torch.autocast`",
          .docs = "trainers `gemm` and `cnn`: `fp32`, `tf32`, `bf16`, `fp16`, `fp8` (E4M3); adds "
                  "`flops_per_second`",
      },
      {
          .name = "cuda_graph",
          .section = "trainer",
          .type = kBool,
          .fallback = "false",
          .role = KnobRole::kCondition,
          .work = KnobWork::kTrainer,
          .only_native = true,
          .idle = only_with({kBurn, kGemm, kCnn}),
          .set = [](CellSpec& c, const SettingValue& v) { put(c.cuda_graph, v); },
          .help = "launch all kernels of a step as one CUDA graph",
          .counterpart = "`torch.cuda.CUDAGraph`",
      },
      {
          .name = "reference_batch",
          .section = "trainer",
          .type = kInteger,
          .fallback = "0",
          .most = kMany,
          .role = KnobRole::kCondition,
          .work = KnobWork::kTrainer,
          .idle = only_with({kBurn, kGemm, kTrace}),
          .set = [](CellSpec& c, const SettingValue& v) { c.step.reference_batch = count(v); },
          .help = "batch size that step_ms, steps_ms and shapes refer to; 0: first batch_size of "
                  "the sweep",
          .counterpart = "your batch size",
      },
      {
          .name = "host_overhead_us",
          .section = "trainer",
          .type = kNumber,
          .fallback = "0",
          .most = 1e9,
          .role = KnobRole::kCondition,
          .work = KnobWork::kTrainer,
          .idle = {{kDiscard}, {kOwnStep}},
          .set =
              [](CellSpec& c, const SettingValue& v) {
                c.transfer.host_overhead = from_seconds(number(v) * 1e-6);
              },
          .help = "host work per step before the kernels are launched, in microseconds",
          .counterpart = "your step",
      },
      {
          .name = "sync_every",
          .section = "trainer",
          .type = kInteger,
          .fallback = "1",
          .most = kMany,
          .role = KnobRole::kCondition,
          .work = KnobWork::kTrainer,
          .is_modelled = true,
          .idle = {{kDiscard}, {kOnCpu}},
          .set = [](CellSpec& c, const SettingValue& v) { c.transfer.sync_every = count(v); },
          .help = "the host waits for the device every N steps, as with loss.item(); 0: never",
          .counterpart = "`loss.item()`",
      },
      {
          .id = KnobId::device,
          .name = "device",
          .section = "device",
          .key = "name",
          .fallback = "auto",
          .role = KnobRole::kInstrument,
          .work = KnobWork::kTrainer,
          .set = [](CellSpec& c, const SettingValue& v) { put(c.device, v); },
          .help = "auto, cuda, cuda:N or sim:PRESET; with a step of your own also cpu",
          .docs = "`auto`, `cuda`, `cuda:N`, `sim:v100-pcie3`, `sim:a100-pcie4`, `sim:h100-pcie5`, "
                  "`sim:h200`; with `step_factory` also `cpu`",
      },
      {
          .id = KnobId::ranks,
          .name = "ranks",
          .section = "job",
          .type = kInteger,
          .fallback = "1",
          .least = 1,
          .most = 65536,
          .role = KnobRole::kCondition,
          .work = KnobWork::kBoth,
          .set = [](CellSpec& c, const SettingValue& v) { c.job.ranks = count(v); },
          .help =
              "training processes, one per GPU, that split the dataset as with DistributedSampler; "
              "1 under srun, mpirun or torchrun: number of started processes",
          .counterpart = "`torchrun --nproc_per_node=`, `DistributedSampler`",
          .docs = "training processes, one per GPU, which share the dataset and the cores: "
                  "[ranks.md](ranks.md)",
      },
      {
          .id = KnobId::ranks_per_node,
          .name = "ranks_per_node",
          .section = "job",
          .type = kInteger,
          .fallback = "0",
          .most = 4096,
          .role = KnobRole::kCondition,
          .work = KnobWork::kBoth,
          .idle = {{kOneRank}},
          .set = [](CellSpec& c, const SettingValue& v) { c.job.ranks_per_node = count(v); },
          .help = "ranks per node; 0: all on one node, or as started by srun, mpirun or torchrun",
          .docs = "ranks per node; default: all on one node, or as `srun`, `mpirun` or `torchrun` "
                  "started them",
      },
      {
          .name = "affinity",
          .section = "job",
          .fallback = "none",
          .choices = {"none", "cores", "numa"},
          .role = KnobRole::kChoice,
          .work = KnobWork::kBoth,
          .idle = {{kOneRank}},
          .set = [](CellSpec& c,
                    const SettingValue& v) { c.job.affinity = parse_affinity(to_string(v)); },
          .help = "cores of a rank: all, its share of all cores, or its share of the cores of its "
                  "GPU's NUMA node",
          .counterpart = "`numactl`, `srun --cpu-bind=`",
          .docs = "cores of a rank: `none`: all; `cores`: its share of all cores; `numa`: its "
                  "share of the cores of its GPU's NUMA node",
      },
      {
          .id = KnobId::all_reduce_bytes,
          .name = "all_reduce_bytes",
          .section = "job",
          .type = kInteger,
          .fallback = "0",
          .most = 1e12,
          .role = KnobRole::kCondition,
          .work = KnobWork::kTrainer,
          .idle = {{kOneRank}, {kDiscard, "0"}},
          .set = [](CellSpec& c, const SettingValue& v) { c.job.all_reduce_bytes = count(v); },
          .help = "bytes of gradients summed by all ranks after each step; 0: no synchronization",
          .counterpart = "`DistributedDataParallel`",
          .docs = "bytes of gradients that all ranks sum after each step; adds `all_reduce_time`",
      },
  };
}

std::vector<Knob> filled_in(std::vector<Knob> rows) {
  auto next = static_cast<std::uint8_t>(KnobId::kOthers);
  for (Knob& row : rows) {
    if (row.id == KnobId::kOthers) row.id = static_cast<KnobId>(next++);
    if (row.key.empty()) row.key = row.name;
  }
  return rows;
}

}  // namespace

std::span<const Knob> knobs() {
  static const std::vector<Knob> table = filled_in(rows());
  return table;
}

}  // namespace feedrate
