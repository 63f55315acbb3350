// SPDX-License-Identifier: Apache-2.0
#include "bench/plan/memory_model.h"

#include "tests/support/matchers.h"

namespace feedrate {
namespace {

constexpr std::size_t kSample = 1000;
constexpr ProcessSizes kProcesses{1'000'000, 50'000, 20};

// 10 samples of 1000 bytes and 10 labels of 8: 10,000 and 80 bytes, in segments 3 pages and 1.
constexpr std::uint64_t kPlain = 10'080;
constexpr std::uint64_t kSegments = 4 * 4096;

CellSpec cell_of_ten() {
  CellSpec cell;
  cell.loader.batch_size = 10;
  cell.burn = BurnSpec{};
  return cell;
}

// 2 workers with 3 batches each make 6 outstanding batches.
CellSpec with_processes() {
  CellSpec cell = cell_of_ten();
  cell.loader.num_workers = 2;
  cell.loader.prefetch_factor = 3;
  return cell;
}

MemoryNeed need_of(const CellSpec& cell) { return predict_memory(cell, kSample, kProcesses); }

TEST(PredictMemory, is_one_batch_without_workers) {
  const MemoryNeed need = need_of(cell_of_ten());
  EXPECT_EQ(need.host, 1'000'000 + kPlain);
  EXPECT_EQ(need.shm, 0U);
  EXPECT_EQ(need.pinned, 0U);
  EXPECT_EQ(need.device, 2 * 10'000U);
  EXPECT_EQ(need.descriptors, 20U);
}

// 6 outstanding batches and the current one; two descriptors per batch and one per worker.
TEST(PredictMemory, of_worker_processes_is_segments_and_descriptors) {
  const MemoryNeed need = need_of(with_processes());
  EXPECT_EQ(need.shm, 7 * kSegments);
  EXPECT_EQ(need.host, 1'000'000 + 7 * kSegments + 2 * 50'000);
  EXPECT_EQ(need.descriptors, 20U + 2U + 7U * 2U);
}

TEST(PredictMemory, of_named_segments_needs_no_descriptors) {
  CellSpec cell = with_processes();
  cell.loader.transport = Transport::kFileSystem;
  EXPECT_EQ(need_of(cell).shm, 7 * kSegments);
  EXPECT_EQ(need_of(cell).descriptors, 22U);
}

// 10,000 bytes are a block of 16,384; at worst all 6 are in segments and 7 are pinned.
TEST(PredictMemory, rounds_pinned_blocks_up_to_powers_of_two) {
  CellSpec cell = with_processes();
  cell.loader.memory = HostMemory::kPinned;
  EXPECT_EQ(need_of(cell).pinned, 7 * 16'384U);
  EXPECT_EQ(need_of(cell).shm, 6 * kSegments);
  EXPECT_EQ(need_of(cell).host, 1'000'000 + 6 * kSegments + 7 * 16'384U + 2 * 50'000);
}

// Blocks of 16,384 and of all powers of two below it.
TEST(PredictMemory, counts_pinned_blocks_of_batches_that_differ) {
  CellSpec cell = with_processes();
  cell.loader.memory = HostMemory::kPinned;
  cell.padding = Padding::kMaxLength;
  EXPECT_EQ(need_of(cell).pinned, 7 * 16'384U);
  cell.padding = Padding::kLongest;
  EXPECT_EQ(need_of(cell).pinned, 7 * 2 * 16'384U);
}

TEST(PredictMemory, pins_what_copies_still_read) {
  CellSpec cell = with_processes();
  cell.loader.memory = HostMemory::kPinned;
  cell.transfer.non_blocking = true;
  cell.transfer.sync_every = 0;
  EXPECT_EQ(need_of(cell).pinned, (7 + kRunAhead) * 16'384U);
  cell.transfer.sync_every = 1;  // the step, and so the copy before it, is waited for
  EXPECT_EQ(need_of(cell).pinned, (7 + 1) * 16'384U);
}

// Python's name of a batch keeps it alive until the next one arrives.
TEST(PredictMemory, of_pytorch_counts_the_batch_before) {
  CellSpec cell = with_processes();
  cell.engine = EngineKind::kTorch;
  EXPECT_EQ(need_of(cell).shm, 8 * kSegments);
  cell.loader.num_workers = 0;
  EXPECT_EQ(need_of(cell).host, 1'000'000 + 2 * kPlain);
}

// 80 bytes of labels are a block of 128.
TEST(PredictMemory, of_pytorch_pins_the_labels_too) {
  CellSpec cell = with_processes();
  cell.loader.memory = HostMemory::kPinned;
  cell.engine = EngineKind::kTorch;
  EXPECT_EQ(need_of(cell).pinned, 8 * (16'384U + 128U));
}

TEST(PredictMemory, of_the_mock_loader_is_its_one_batch) {
  CellSpec cell = cell_of_ten();
  cell.cached_loader = true;
  cell.loader.memory = HostMemory::kPinned;
  EXPECT_EQ(need_of(cell).pinned, 10'000U);
  EXPECT_EQ(need_of(cell).host, 1'000'000 + kPlain);
}

TEST(PredictMemory, on_the_device_counts_what_is_sent_ahead_and_normalised) {
  CellSpec cell = cell_of_ten();
  cell.transfer.device_prefetch = 1;
  EXPECT_EQ(need_of(cell).device, 3 * 10'000U);
  cell.wire = SampleDtype::kUint8;
  cell.normalize_on_gpu = true;
  EXPECT_EQ(need_of(cell).device, 3 * 2'500U + 10'000U);
  cell.burn.reset();
  EXPECT_EQ(need_of(cell).device, 0U);
}

// Decoded or transformed images have a capacity of a quarter more.
TEST(PredictMemory, on_the_device_counts_pixels_and_what_they_become) {
  CellSpec cell = cell_of_ten();
  cell.on_device = OnDevice::kTransforms;
  EXPECT_EQ(need_of(cell).device, 2 * 10'000U + 12'500U);
  cell.on_device = OnDevice::kDecodingAndTransforms;
  EXPECT_EQ(need_of(cell).device, 2 * 12'500U + 12'500U);
}

TEST(WireBytes, are_those_of_the_type_that_crosses) {
  CellSpec cell = cell_of_ten();
  EXPECT_EQ(wire_bytes(cell, 400), 400U);
  cell.wire = SampleDtype::kFloat16;
  EXPECT_EQ(wire_bytes(cell, 400), 200U);
  cell.wire = SampleDtype::kUint8;
  cell.normalize_on_gpu = true;
  EXPECT_EQ(wire_bytes(cell, 400), 100U);
}

TEST(WhyExceeds, is_empty_where_it_fits_exactly_or_nothing_is_known) {
  EXPECT_EQ(why_exceeds({100, 50, 0, 0, 10}, {100, 50, 10}), "");
  EXPECT_EQ(why_exceeds({100, 50, 0, 0, 10}, {}), "");
}

TEST(WhyExceeds, names_the_need_and_the_available_amount) {
  EXPECT_THAT(why_exceeds({2'000'000'000, 0, 0, 0, 0}, {1'000'000'000, {}, {}}),
              HasSubstr("memory: needs 2.00 GB, available 1.00 GB: use fewer workers"));
  EXPECT_THAT(why_exceeds({0, 2'000'000, 0, 0, 0}, {{}, 1'000'000, {}}),
              HasSubstr("/dev/shm: needs 2.00 MB, available 1.00 MB: enlarge it"));
  EXPECT_THAT(why_exceeds({0, 0, 0, 0, 65}, {{}, {}, 64}),
              HasSubstr("RLIMIT_NOFILE: needs 65 open files, the limit is 64: raise it"));
}

}  // namespace
}  // namespace feedrate
