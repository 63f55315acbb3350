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

CellSettings settings(std::initializer_list<const char*> axes) {
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

TEST(Canonicalize, only_a_fork_server_imports_beforehand) {
  for (const char* const method : {"fork", "spawn", "forkserver", "default"}) {
    const std::string start = std::string("multiprocessing_context=") + method;
    CellSettings cell = settings({"num_workers=2", start.c_str(), "forkserver_preload=torch"});
    canonicalize(cell);
    const bool has_no_server = start.ends_with("=fork") || start.ends_with("=spawn");
    EXPECT_EQ(text(cell, "forkserver_preload"), has_no_server ? "" : "torch") << method;
  }
}

TEST(Canonicalize, the_real_dataloader_emulates_nothing) {
  CellSettings cell = settings({"engine=torch", "emulate=profile.yaml"});
  canonicalize(cell);
  EXPECT_EQ(text(cell, "emulate"), "");
}

TEST(Canonicalize, the_real_dataloader_has_decoders_of_its_own) {
  CellSettings cell = settings({"engine=torch", "decoder=library"});
  canonicalize(cell);
  EXPECT_EQ(text(cell, "decoder"), "");
}

TEST(Canonicalize, a_mock_loader_keeps_the_decoder_of_the_device_alone) {
  for (const char* const loader : {"loader=cached", "loader=resident"}) {
    CellSettings cell = settings({loader, "decoder=nvjpeg", "transforms_on=gpu"});
    canonicalize(cell);
    EXPECT_EQ(text(cell, "decoder"), "nvjpeg");
    EXPECT_EQ(text(cell, "transforms_on"), "gpu");
    cell = settings({loader, "decoder=fast"});
    canonicalize(cell);
    EXPECT_EQ(text(cell, "decoder"), "");
  }
}

TEST(Canonicalize, the_real_dataloader_reads_hdf5_by_its_library_anyway) {
  CellSettings cell = settings({"engine=torch", "format=hdf5", "hdf5_reads=direct"});
  canonicalize(cell);
  EXPECT_EQ(text(cell, "hdf5_reads"), "");
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

TEST(Canonicalize, chunks_are_those_of_formats_that_have_them) {
  const auto chunks_of = [](const char* format) {
    CellSettings cell = settings({format, "chunk=16", "codec=zstd"});
    canonicalize(cell);
    return text(cell, "chunk") + " " + text(cell, "codec");
  };
  EXPECT_EQ(chunks_of("format=zarr"), "16 zstd");
  EXPECT_EQ(chunks_of("format=hdf5-decoded"), "16 ");
  for (const char* const other :
       {"format=hdf5", "format=hdf5-contiguous", "format=tar", "format=folder", "loader=cached"}) {
    EXPECT_EQ(chunks_of(other), " ") << other;
  }
  CellSettings as_it_is = settings({"chunk=16", "codec=zstd"});
  canonicalize(as_it_is);
  EXPECT_EQ(text(as_it_is, "chunk") + text(as_it_is, "codec"), "");
}

TEST(Canonicalize, hdf5_that_is_not_contiguous_is_read_by_the_library) {
  for (const char* const axis : {"format=hdf5", "format=hdf5-decoded"}) {
    CellSettings cell = settings({axis, "hdf5_reads=direct"});
    const auto changed = canonicalize(cell);
    EXPECT_EQ(text(cell, "hdf5_reads"), "library") << axis;
    EXPECT_EQ(std::count_if(changed.begin(), changed.end(),
                            mentions("is always library for HDF5 that is not contiguous")),
              1);
  }
  CellSettings cell = settings({"format=hdf5-contiguous", "hdf5_reads=direct"});
  canonicalize(cell);
  EXPECT_EQ(text(cell, "hdf5_reads"), "direct");
}

TEST(Canonicalize, the_hdf5_library_does_not_read_batches_together) {
  for (const auto& [axis, left] :
       {std::pair("hdf5_reads=library", ""), std::pair("hdf5_reads=direct", "true")}) {
    CellSettings cell = settings({"format=hdf5-contiguous", axis, "batched_reads=true"});
    canonicalize(cell);
    EXPECT_EQ(text(cell, "batched_reads"), left) << axis;
  }
}

TEST(Canonicalize, sequences_that_are_all_padded_alike_are_not_grouped) {
  CellSettings cell = settings({"padding=max_length", "group_by_length=true"});
  canonicalize(cell);
  EXPECT_EQ(text(cell, "group_by_length"), "false");
  cell = settings({"padding=longest", "group_by_length=true"});
  canonicalize(cell);
  EXPECT_EQ(text(cell, "group_by_length"), "true");
}

TEST(Canonicalize, counts_non_blocking_from_pageable_memory_as_blocking) {
  CellSettings cell = settings({"num_workers=2", "non_blocking=true", "ranks=2"});
  const auto changed = canonicalize(cell);
  EXPECT_EQ(changed.front().knob, KnobId::non_blocking);
  EXPECT_EQ(changed.front().text(), "has no effect on a copy from pageable memory");
  EXPECT_EQ(text(cell, "non_blocking"), "false");
}

TEST(Canonicalize, prefetching_to_the_device_is_done_on_a_side_stream) {
  for (const char* depth : {"device_prefetch=1", "device_prefetch=2"}) {
    CellSettings cell = settings({"pin_memory=true", depth, "copy_stream=same"});
    canonicalize(cell);
    EXPECT_EQ(text(cell, "copy_stream"), "side");
  }
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

TEST(Canonicalize, a_discarded_batch_goes_to_no_device) {
  CellSettings cell = settings({"num_workers=2", "trainer=discard", "copy_stream=side"});
  canonicalize(cell);
  EXPECT_EQ(text(cell, "copy_stream"), "");
  EXPECT_EQ(text(cell, "step_ms"), "");
  EXPECT_EQ(text(cell, "sync_every"), "");
}

TEST(Canonicalize, a_resident_batch_is_not_copied) {
  CellSettings cell = settings({"loader=resident", "pin_memory=true", "non_blocking=true",
                                "device_prefetch=2", "copy_stream=side"});
  canonicalize(cell);
  EXPECT_EQ(text(cell, "num_workers"), "");
  EXPECT_EQ(text(cell, "pin_memory"), "false");
  EXPECT_EQ(text(cell, "non_blocking"), "false");
  EXPECT_EQ(text(cell, "device_prefetch"), "0");
  EXPECT_EQ(text(cell, "copy_stream"), "same");
}

TEST(Canonicalize, a_cached_batch_needs_no_workers_and_no_format) {
  CellSettings cell = settings({"num_workers=2", "loader=cached", "format=tar", "shuffle=true"});
  canonicalize(cell);
  EXPECT_EQ(text(cell, "num_workers"), "");
  EXPECT_EQ(text(cell, "prefetch_factor"), "");
  EXPECT_EQ(text(cell, "format"), "");
  EXPECT_EQ(text(cell, "shuffle"), "");
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
