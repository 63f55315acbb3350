// SPDX-License-Identifier: Apache-2.0
#include "bench/plan/cell_spec.h"

#include <gtest/gtest.h>

#include "bench/plan/plan.h"

namespace feedrate {
namespace {

CellSpec spec(std::initializer_list<const char*> axes, const std::string& pipeline = "") {
  SweepConfig config =
      parse_config("dataset: {path: x}\ndevice: {name: 'sim:h200'}\n" + pipeline, "s.yaml");
  for (const char* axis : axes) override_axis(config, parse_axis(axis));
  return make_cell_spec(make_plan(config, {}).front().settings, 7);
}

TEST(CellSpec, has_every_knob) {
  const CellSpec cell =
      spec({"num_workers=3", "prefetch_factor=4", "persistent_workers=true", "pin_memory=true",
            "shuffle=true", "drop_last=true", "in_order=false", "batch_size=32",
            "non_blocking=true", "copy_stream=side", "sync_every=5", "host_overhead_us=250",
            "step_ms=2.5", "reference_batch=16", "format=tar", "timeout=1.5",
            "transport=file_system", "emulate=profile.yaml"});
  EXPECT_EQ(cell.engine, EngineKind::kNative);
  EXPECT_EQ(cell.emulate, "profile.yaml");
  EXPECT_EQ(cell.loader.timeout, std::chrono::milliseconds(1500));
  EXPECT_EQ(cell.loader.transport, Transport::kFileSystem);
  EXPECT_EQ(cell.format, "tar");
  EXPECT_FALSE(cell.cached_loader);
  EXPECT_EQ(cell.device, "sim:h200");
  EXPECT_EQ(cell.loader.num_workers, 3U);
  EXPECT_EQ(cell.loader.prefetch_factor, 4U);
  EXPECT_TRUE(cell.loader.persistent_workers);
  EXPECT_EQ(cell.loader.memory, HostMemory::kPinned);
  EXPECT_TRUE(cell.loader.shuffle);
  EXPECT_TRUE(cell.loader.drop_last);
  EXPECT_FALSE(cell.loader.in_order);
  EXPECT_EQ(cell.loader.batch_size, 32U);
  EXPECT_EQ(cell.loader.seed, 7U);
  EXPECT_TRUE(cell.transfer.non_blocking);
  EXPECT_EQ(cell.transfer.copy_stream, CopyStream::kSide);
  EXPECT_EQ(cell.transfer.sync_every, 5U);
  EXPECT_EQ(cell.transfer.host_overhead, std::chrono::microseconds(250));
  ASSERT_TRUE(cell.burn);
  EXPECT_EQ(cell.burn->step, std::chrono::microseconds(2500));
  EXPECT_EQ(cell.burn->reference_batch, 16U);
}

TEST(CellSpec, treats_idle_knobs_as_not_set) {
  const CellSpec inline_cell = spec({"num_workers=0"});
  EXPECT_EQ(inline_cell.loader.num_workers, 0U);
  EXPECT_TRUE(inline_cell.loader.in_order);
  EXPECT_TRUE(spec({"loader=resident"}).transfer.resident);
  EXPECT_TRUE(spec({"loader=resident"}).cached_loader);
  const CellSpec cached = spec({"loader=cached", "num_workers=4"});
  EXPECT_FALSE(cached.transfer.resident);
  EXPECT_TRUE(cached.cached_loader);
  EXPECT_EQ(cached.loader.num_workers, 0U);
  EXPECT_EQ(cached.format, "");
}

TEST(CellSpec, names_the_engine_and_the_transport) {
  EXPECT_EQ(spec({"engine=torch"}).engine, EngineKind::kTorch);
  EXPECT_EQ(spec({"num_workers=2", "transport=file_system"}).loader.transport,
            Transport::kFileSystem);
  EXPECT_EQ(spec({"num_workers=2"}).loader.transport, Transport::kFresh);
}

TEST(CellSpec, has_pytorchs_defaults_for_the_loader) {
  const CellSpec cell = spec({"num_workers=2"});
  EXPECT_EQ(cell.decoding, Decoding::kLibrary);
  EXPECT_EQ(cell.reads.hdf5, Hdf5Reads::kLibrary);
  EXPECT_EQ(cell.loader.transport, Transport::kFresh);
  EXPECT_EQ(cell.loader.multiprocessing_context, "");
}

TEST(CellSpec, names_the_decoder) {
  EXPECT_EQ(spec({"decoder=library"}).decoding, Decoding::kLibrary);
  EXPECT_EQ(spec({"decoder=fast"}).decoding, Decoding::kFast);
  EXPECT_EQ(spec({"decoder=scaled"}).decoding, Decoding::kScaled);
}

TEST(CellSpec, says_how_the_dataset_will_be_read) {
  EXPECT_EQ(spec({}).reads, (ReadOptions{ReadOrder::kSequential, Hdf5Reads::kLibrary}));
  EXPECT_EQ(spec({"shuffle=true", "hdf5_reads=direct"}).reads,
            (ReadOptions{ReadOrder::kRandom, Hdf5Reads::kDirect}));
}

TEST(CellSpec, says_which_copy_of_the_dataset_is_read) {
  EXPECT_EQ(catalog_name(copy_of(spec({}))), "");
  EXPECT_EQ(catalog_name(copy_of(spec({"format=zarr", "chunk=16", "codec=zstd", "staging=ram"}))),
            "zarr chunk=16 codec=zstd staged ram");
  EXPECT_EQ(catalog_name(copy_of(spec({"format=hdf5-decoded", "chunk=4"}))),
            "hdf5-decoded chunk=4");
}

TEST(CellSpec, says_whether_points_are_sampled_beforehand) {
  EXPECT_FALSE(spec({}).presampled);
  const SweepConfig config = parse_config(
      "dataset: {path: x, presampled: true}\ndevice: {name: 'sim:h200'}\n"
      "pipeline: {transforms: [sample_points: 9]}\n",
      "s.yaml");
  EXPECT_TRUE(make_cell_spec(make_plan(config, {}).front().settings, 7).presampled);
}

TEST(CellSpec, pads_and_groups_sequences) {
  EXPECT_FALSE(spec({}).padding);
  EXPECT_FALSE(spec({}).loader.group_by_length);
  const SweepConfig config = parse_config(
      "dataset: {path: x}\ndevice: {name: 'sim:h200'}\nloader: {group_by_length: true}\n"
      "pipeline: {transforms: [tokens: 9], padding: [max_length, longest]}\n",
      "s.yaml");
  const std::vector<Cell> plan = make_plan(config, {});
  ASSERT_EQ(plan.size(), 2U);
  EXPECT_EQ(make_cell_spec(plan[0].settings, 7).padding, Padding::kMaxLength);
  EXPECT_FALSE(make_cell_spec(plan[0].settings, 7).loader.group_by_length);
  const CellSpec longest = make_cell_spec(plan[1].settings, 7);
  EXPECT_EQ(longest.padding, Padding::kLongest);
  EXPECT_TRUE(longest.loader.group_by_length);
  EXPECT_EQ(longest.reads.order, ReadOrder::kRandom);
}

TEST(CellSpec, pads_sequences_to_the_longest_of_their_batch_by_default) {
  const SweepConfig config = parse_config(
      "dataset: {path: x}\ndevice: {name: 'sim:h200'}\npipeline: {transforms: [tokens: 9]}\n",
      "s.yaml");
  const Settings settings = make_plan(config, {}).front().settings;
  EXPECT_EQ(to_string(*find_setting(settings, "padding")), "longest");
  EXPECT_EQ(make_cell_spec(settings, 7).padding, Padding::kLongest);
}

TEST(CellSpec, finds_the_decoder_in_the_pipeline_section) {
  const SweepConfig config = parse_config(
      "dataset: {path: x}\ndevice: {name: 'sim:h200'}\npipeline: {decoder: [library, scaled]}\n",
      "s.yaml");
  const std::vector<Cell> plan = make_plan(config, {});
  ASSERT_EQ(plan.size(), 2U);
  EXPECT_EQ(make_cell_spec(plan[0].settings, 7).decoding, Decoding::kLibrary);
  EXPECT_EQ(make_cell_spec(plan[1].settings, 7).decoding, Decoding::kScaled);
}

TEST(CellSpec, discards_without_a_trainer) {
  EXPECT_FALSE(spec({"trainer=discard"}).trains());
  EXPECT_TRUE(spec({}).trains());
}

TEST(CellSpec, drives_the_device_as_asked) {
  const CellSpec usual = spec({"pin_memory=true"});
  EXPECT_EQ(usual.transfer.device_prefetch, 0U);
  const CellSpec cell = spec({"pin_memory=true", "device_prefetch=2", "cuda_graph=true"});
  EXPECT_EQ(cell.transfer.device_prefetch, 2U);
  EXPECT_EQ(cell.transfer.copy_stream, CopyStream::kSide);
  EXPECT_TRUE(cell.cuda_graph);
}

TEST(CellSpec, sends_the_requested_type) {
  EXPECT_EQ(spec({}).wire, std::nullopt);
  EXPECT_EQ(spec({"wire_dtype=float16"}).wire, SampleDtype::kFloat16);
  EXPECT_EQ(spec({"wire_dtype=float32"}).wire, SampleDtype::kFloat32);
  const CellSpec bytes = spec({"wire_dtype=uint8", "normalize_on=gpu"});
  EXPECT_EQ(bytes.wire, SampleDtype::kUint8);
  EXPECT_TRUE(bytes.normalize_on_gpu);
}

TEST(CellSpec, leaves_requested_work_to_the_device) {
  EXPECT_EQ(spec({}).on_device, OnDevice::kNothing);
  const std::string pipeline = "pipeline: {transforms: [random_resized_crop: 8, to_tensor]}\n";
  EXPECT_EQ(spec({"transforms_on=gpu"}, pipeline).on_device, OnDevice::kTransforms);
  EXPECT_EQ(
      spec({"transforms_on=gpu", "decoder=nvjpeg", "device=sim:a100-pcie4"}, pipeline).on_device,
      OnDevice::kDecodingAndTransforms);
}

TEST(CellSpec, multiplies_matrices_for_the_reference_batch) {
  const CellSpec cell =
      spec({"trainer=gemm", "shapes=8x16x32*4 1x2x3", "reference_batch=16", "precision=bf16"});
  ASSERT_TRUE(cell.gemms);
  EXPECT_FALSE(cell.burn);
  ASSERT_EQ(cell.gemms->gemms.size(), 2U);
  EXPECT_EQ(cell.gemms->gemms[0].gemm, (Gemm{8, 16, 32, 4}));
  EXPECT_EQ(cell.gemms->reference_batch, 16U);
  EXPECT_EQ(cell.gemms->precision, Precision::kBf16);
}

TEST(CellSpec, takes_a_models_layers_for_one_sample) {
  const CellSpec cell = spec({"trainer=cnn", "model=surf-cifar10"});
  ASSERT_TRUE(cell.gemms);
  EXPECT_EQ(cell.gemms->reference_batch, 1U);
  EXPECT_EQ(cell.gemms->precision, Precision::kFp32);
  EXPECT_EQ(cell.gemms->gemms.size(), 18U);  // six layers, forward and twice backward
  EXPECT_FALSE(cell.gemms->passes.empty());
}

TEST(CellSpec, replays_the_steps_of_a_trace) {
  const CellSpec cell = spec({"trainer=trace", "steps_ms=25.1 24.9", "batch_size=32"});
  ASSERT_TRUE(cell.trace);
  EXPECT_EQ(cell.trace->steps, (std::vector<Nanos>{Nanos(25'100'000), Nanos(24'900'000)}));
  EXPECT_EQ(cell.trace->reference_batch, 32U);
}

}  // namespace
}  // namespace feedrate
