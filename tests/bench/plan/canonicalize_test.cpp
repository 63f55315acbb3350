// SPDX-License-Identifier: Apache-2.0
#include "bench/plan/canonicalize.h"

#include <algorithm>
#include <string>

#include "bench/plan/config.h"
#include "bench/plan/knobs.h"
#include "bench/plan/plan.h"
#include "formats/registry.h"
#include "tests/support/matchers.h"

namespace feedrate {
namespace {

/// The canonical values of knobs of a cell, "NAME=VALUE" each.
struct Row {
  const char* why;
  std::vector<const char*> axes;
  std::vector<const char*> canonical;
};

CellSettings settings(const std::vector<const char*>& axes) {
  SweepConfig config = parse_config("dataset: {path: x}\ndevice: {name: 'sim:h200'}\n", "s.yaml");
  for (const char* axis : axes) override_axis(config, parse_axis(axis));
  Settings cell;
  for (const Axis& axis : config.axes) cell.push_back({axis.name, axis.values.front()});
  return cell;
}

std::string text(const CellSettings& cell, const char* name) {
  return cell.text(find_knob(name).id);
}

auto mentions(const char* words) {
  return
      [words](const Canonicalized& knob) { return knob.text().find(words) != std::string::npos; };
}

TEST(Canonicalize, gives_knobs_without_effect_their_neutral_value) {
  const Row rows[] = {
      {"only a fork server imports beforehand",
       {"num_workers=2", "multiprocessing_context=fork", "forkserver_preload=torch"},
       {"forkserver_preload="}},
      {"",
       {"num_workers=2", "multiprocessing_context=spawn", "forkserver_preload=torch"},
       {"forkserver_preload="}},
      {"",
       {"num_workers=2", "multiprocessing_context=forkserver", "forkserver_preload=torch"},
       {"forkserver_preload=torch"}},
      {"",
       {"num_workers=2", "multiprocessing_context=default", "forkserver_preload=torch"},
       {"forkserver_preload=torch"}},
      {"the real DataLoader emulates nothing, decodes and reads HDF5 by its libraries",
       {"engine=torch", "emulate=profile.yaml", "decoder=library", "format=hdf5",
        "hdf5_reads=direct"},
       {"emulate=", "decoder=", "hdf5_reads="}},
      {"a mock loader keeps the decoder of the device alone",
       {"loader=cached", "decoder=nvjpeg", "transforms_on=gpu"},
       {"decoder=nvjpeg", "transforms_on=gpu"}},
      {"", {"loader=resident", "decoder=nvjpeg"}, {"decoder=nvjpeg"}},
      {"", {"loader=cached", "decoder=fast"}, {"decoder="}},
      {"chunks are those of formats that have them",
       {"format=zarr", "chunk=16", "codec=zstd"},
       {"chunk=16", "codec=zstd"}},
      {"", {"format=hdf5-decoded", "chunk=16", "codec=zstd"}, {"chunk=16", "codec="}},
      {"", {"format=hdf5", "chunk=16"}, {"chunk="}},
      {"", {"format=hdf5-contiguous", "chunk=16"}, {"chunk="}},
      {"", {"format=tar", "chunk=16"}, {"chunk="}},
      {"", {"loader=cached", "format=zarr", "chunk=16", "codec=zstd"}, {"chunk=", "codec="}},
      {"", {"chunk=16", "codec=zstd"}, {"chunk=", "codec="}},
      {"HDF5 that is not contiguous is read by the library",
       {"format=hdf5", "hdf5_reads=direct"},
       {"hdf5_reads=library"}},
      {"", {"format=hdf5-decoded", "hdf5_reads=direct"}, {"hdf5_reads=library"}},
      {"", {"format=hdf5-contiguous", "hdf5_reads=direct"}, {"hdf5_reads=direct"}},
      {"the HDF5 library does not read batches together",
       {"format=hdf5-contiguous", "hdf5_reads=library", "batched_reads=true"},
       {"batched_reads="}},
      {"",
       {"format=hdf5-contiguous", "hdf5_reads=direct", "batched_reads=true"},
       {"batched_reads=true"}},
      {"sequences that are all padded alike are not grouped",
       {"padding=max_length", "group_by_length=true"},
       {"group_by_length=false"}},
      {"", {"padding=longest", "group_by_length=true"}, {"group_by_length=true"}},
      {"prefetching to the device is done on a side stream",
       {"pin_memory=true", "device_prefetch=1", "copy_stream=same"},
       {"copy_stream=side"}},
      {"", {"pin_memory=true", "device_prefetch=2", "copy_stream=same"}, {"copy_stream=side"}},
      {"a discarded batch goes to no device",
       {"num_workers=2", "trainer=discard", "copy_stream=side"},
       {"copy_stream=", "step_ms=", "sync_every="}},
      {"a resident batch is not copied",
       {"loader=resident", "pin_memory=true", "non_blocking=true", "device_prefetch=2",
        "copy_stream=side"},
       {"num_workers=", "pin_memory=false", "non_blocking=false", "device_prefetch=0",
        "copy_stream=same"}},
      {"a cached batch needs no workers and no format",
       {"num_workers=2", "loader=cached", "format=tar", "shuffle=true"},
       {"num_workers=", "prefetch_factor=", "format=", "shuffle="}},
  };
  for (const Row& row : rows) {
    CellSettings cell = settings(row.axes);
    canonicalize(cell);
    for (const std::string wanted : row.canonical) {
      const std::string name = wanted.substr(0, wanted.find('='));
      EXPECT_EQ(name + "=" + text(cell, name.c_str()), wanted)
          << row.why << ": " << ::testing::PrintToString(row.axes);
    }
  }
}

TEST(Canonicalize, says_why_hdf5_is_read_by_the_library) {
  CellSettings cell = settings({"format=hdf5", "hdf5_reads=direct"});
  const auto changed = canonicalize(cell);
  EXPECT_EQ(std::count_if(changed.begin(), changed.end(),
                          mentions("is always library for HDF5 that is not contiguous")),
            1);
}

TEST(Canonicalize, without_workers_there_is_nothing_to_prefetch_or_to_keep) {
  CellSettings cell = settings({"num_workers=0", "persistent_workers=true", "in_order=false"});
  const auto reasons = canonicalize(cell);
  EXPECT_EQ(text(cell, "prefetch_factor"), "");
  EXPECT_EQ(text(cell, "persistent_workers"), "");
  EXPECT_EQ(text(cell, "in_order"), "");
  for (const char* knob : {"timeout", "multiprocessing_context", "transport"}) {
    EXPECT_EQ(text(cell, knob), "") << knob;
  }
  EXPECT_EQ(std::count_if(reasons.begin(), reasons.end(), mentions("without workers")), 6);
}

TEST(Canonicalize, leaves_a_cell_without_idle_knobs_unchanged) {
  CellSettings cell =
      settings({"num_workers=2", "pin_memory=true", "non_blocking=true", "ranks=2"});
  EXPECT_THAT(canonicalize(cell), IsEmpty());
}

TEST(Canonicalize, a_way_to_read_hdf5_means_nothing_for_other_formats) {
  for (const char* const format :
       {"folder", "tar", "lmdb", "tfrecord", "zip", "npy", "npz", "zarr"}) {
    CellSettings cell = settings({"hdf5_reads=library"});
    cell.set(KnobId::format, std::string(format));
    canonicalize(cell);
    EXPECT_EQ(text(cell, "hdf5_reads"), "") << format;
  }
  for (const char* const axis : {"format=hdf5", "format=hdf5-decoded", "format=hdf5-contiguous"}) {
    CellSettings cell = settings({axis, "hdf5_reads=library"});
    canonicalize(cell);
    EXPECT_EQ(text(cell, "hdf5_reads"), "library") << axis;
  }
}

TEST(Canonicalize, counts_non_blocking_from_pageable_memory_as_blocking) {
  CellSettings cell = settings({"num_workers=2", "non_blocking=true", "ranks=2"});
  const auto changed = canonicalize(cell);
  EXPECT_EQ(changed.front().knob, KnobId::non_blocking);
  EXPECT_EQ(changed.front().text(), "has no effect on a copy from pageable memory");
  EXPECT_EQ(text(cell, "non_blocking"), "false");
}

TEST(Canonicalize, a_trainer_has_its_own_knobs_only) {
  const auto kept_by = [](const char* trainer) {
    CellSettings cell =
        settings({trainer, "step_ms=5", "steps_ms=1 2", "shapes=1x2x3", "model=resnet50",
                  "precision=bf16", "cuda_graph=true", "reference_batch=7"});
    canonicalize(cell);
    std::string kept;
    for (const char* knob :
         {"step_ms", "steps_ms", "shapes", "model", "precision", "cuda_graph", "reference_batch"}) {
      if (!text(cell, knob).empty()) kept += std::string(kept.empty() ? "" : " ") + knob;
    }
    return kept;
  };
  EXPECT_EQ(kept_by("trainer=burn"), "step_ms cuda_graph reference_batch");
  EXPECT_EQ(kept_by("trainer=gemm"), "shapes precision cuda_graph reference_batch");
  EXPECT_EQ(kept_by("trainer=cnn"), "model precision cuda_graph");
  EXPECT_EQ(kept_by("trainer=trace"), "steps_ms reference_batch");
  EXPECT_EQ(kept_by("trainer=discard"), "");
}

TEST(Canonicalize, leaves_other_settings_of_a_result_unchanged) {
  Settings result{{"num_workers", std::int64_t{0}},
                  {"prefetch_factor", std::int64_t{4}},
                  {"rank_of_a_paper", std::int64_t{7}}};
  canonicalize(result);
  EXPECT_EQ(text_of(result, "prefetch_factor"), "");
  EXPECT_EQ(count_of(result, "rank_of_a_paper"), 7);
}

}  // namespace
}  // namespace feedrate
