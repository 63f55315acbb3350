// SPDX-License-Identifier: Apache-2.0
#include "analysis/paste_lines.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/analysis/report/sample_run.h"

namespace feedrate {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string lines_of(Settings settings, std::vector<Fact> facts = {}) {
  RunResult run;
  run.environment.facts = std::move(facts);
  run.cells = {measured_cell(0, std::move(settings), 1.0)};
  return paste_ready(run, run.cells.front());
}

const Setting kPastedWorkers{"num_workers", std::int64_t{2}};

TEST(PasteReady, names_the_knobs_in_python) {
  const RunResult run = sample_run();
  EXPECT_THAT(
      paste_ready(run, run.cells[0]),
      HasSubstr("from torch.utils.data import DataLoader\n\n"
                "loader = DataLoader(dataset, batch_size=128, shuffle=True, num_workers=2, "
                "prefetch_factor=2, pin_memory=True, persistent_workers=False, drop_last=False)\n"
                "x = x.to(device, non_blocking=True)  # each tensor of a batch\n"));
}

TEST(PasteReady, writes_null_as_none) {
  EXPECT_THAT(lines_of({kPastedWorkers, {"batch_size", "null"}}),
              HasSubstr("DataLoader(dataset, batch_size=None, num_workers=2"));
}

TEST(PasteReady, says_why_there_are_no_lines_for_what_only_feedrate_has) {
  EXPECT_EQ(lines_of({kPastedWorkers, {"decoder", "fast"}}),
            "# No lines to paste: decoder=fast is feedrate's own decoder; PyTorch has no such "
            "setting.\n");
}

TEST(PasteReady, sets_the_sharing_strategy_in_the_workers_too) {
  EXPECT_THAT(lines_of({kPastedWorkers, {"transport", "file_system"}}),
              AllOf(StartsWith("import torch\n"),
                    HasSubstr("\ntorch.multiprocessing.set_sharing_strategy(\"file_system\")\n"
                              "def start_worker(worker_id):\n"
                              "    torch.multiprocessing.set_sharing_strategy(\"file_system\")\n"
                              "loader = DataLoader(dataset, num_workers=2, "
                              "worker_init_fn=start_worker)\n")));
}

TEST(PasteReady, imports_an_own_datasets_functions_by_their_names) {
  const std::vector<Fact> facts{{"collate_fn", "my_project.data:Batches.collate"},
                                {"worker_init_fn", "my_project.seeds:seed"}};
  EXPECT_THAT(lines_of({kPastedWorkers}, facts),
              AllOf(HasSubstr("\nfrom my_project.data import Batches\n"),
                    HasSubstr("\nfrom my_project.seeds import seed\n"),
                    HasSubstr(", collate_fn=Batches.collate, worker_init_fn=seed)\n")));
  EXPECT_THAT(lines_of({{"num_workers", std::int64_t{0}}}, facts),
              AllOf(HasSubstr("collate_fn=Batches.collate)\n"), Not(HasSubstr("seed"))));
  EXPECT_THAT(lines_of({kPastedWorkers, {"transport", "file_system"}}, facts),
              AllOf(HasSubstr("    seed(worker_id)\n"), HasSubstr("worker_init_fn=start_worker)")));
}

TEST(PasteReady, says_which_of_several_datasets_it_is) {
  const std::vector<Fact> facts{{"dataset.torch hdf5", "stores:open_hdf5"},
                                {"dataset.args hdf5", R"({"path":"a.h5"})"},
                                {"collate_fn hdf5", "stores:collate"},
                                {"collate_fn tar", "stores:other"}};
  EXPECT_THAT(lines_of({{"variant", "hdf5"}}, facts),
              AllOf(StartsWith("# dataset: variant hdf5: stores:open_hdf5 with "
                               "{\"path\":\"a.h5\"}\n"),
                    HasSubstr(", collate_fn=collate)")));
  EXPECT_THAT(lines_of({{"variant", "lance"}}, facts), StartsWith("# dataset: variant lance\n"));
}

TEST(PasteReady, has_the_samplers_of_the_user) {
  EXPECT_THAT(lines_of({}, {{"sampler", "mine:weighted"}}),
              AllOf(HasSubstr("from mine import weighted\n"),
                    HasSubstr("DataLoader(dataset, sampler=weighted(dataset))")));
  EXPECT_THAT(lines_of({}, {{"batch_sampler", "mine:by_length"}}),
              StartsWith("# batch_sampler=mine:by_length(dataset) in place of batch_size"));
}

TEST(PasteReady, calls_the_loader_of_the_user) {
  EXPECT_THAT(
      lines_of({{"loader_factory", "mine.loaders:Fast"}, {"shuffle", true}}),
      AllOf(HasSubstr("from mine.loaders import Fast\n"), Not(HasSubstr("import DataLoader")),
            HasSubstr("loader = Fast(dataset, shuffle=True)\n")));
}

TEST(PasteReady, starts_workers_as_the_cell_did) {
  EXPECT_THAT(
      lines_of({kPastedWorkers, {"worker_threads", std::int64_t{3}}}),
      AllOf(StartsWith("import torch\n"),
            HasSubstr("def start_worker(worker_id):\n    torch.set_num_threads(3)"),
            Not(HasSubstr("set_sharing_strategy")), HasSubstr("worker_init_fn=start_worker)")));
  EXPECT_THAT(lines_of({kPastedWorkers, {"forkserver_preload", "torch mine"}}),
              AllOf(StartsWith("import multiprocessing\n"),
                    HasSubstr("multiprocessing.set_forkserver_preload(\"torch mine\".split())\n")));
}

TEST(PasteReady, copies_nothing_on_the_cpu) {
  EXPECT_THAT(lines_of({{"device", "cuda:0"}}), HasSubstr("x.to(device)"));
  EXPECT_THAT(lines_of({{"device", "cpu"}}), Not(HasSubstr("x.to(device")));
}

TEST(PasteReady, says_how_a_format_is_read) {
  EXPECT_THAT(lines_of({{"format", "lmdb"}}),
              StartsWith("# feedrate data convert SRC DST --format lmdb; read DST with the Dataset "
                         "for lmdb of `feedrate help formats`.\n"));
  EXPECT_THAT(lines_of({{"format", "folder"}}), StartsWith("# dataset: torchvision.datasets."));
  EXPECT_THAT(lines_of({{"format", ""}}), StartsWith("from torch"));
}

TEST(PasteReady, says_how_chunks_are_made) {
  EXPECT_THAT(lines_of({{"format", "zarr"}, {"chunk", std::int64_t{16}}, {"codec", "zstd"}}),
              HasSubstr("\n# Its chunks: feedrate data convert --chunk 16 --codec zstd.\n"));
}

TEST(PasteReady, says_what_is_done_once) {
  EXPECT_THAT(lines_of({{"staging", "ram"}, {"affinity", "cores"}}),
              StartsWith("# Copy the dataset to /dev/shm first.\n# Bind each rank"));
}

TEST(PasteReady, pads_and_groups_sequences_by_hugging_faces_names) {
  EXPECT_THAT(
      lines_of({{"batch_size", std::int64_t{32}},
                {"shuffle", true},
                {"padding", "longest"},
                {"group_by_length", true}}),
      HasSubstr("DataLoader(dataset, batch_size=32, sampler=LengthGroupedSampler(32, dataset), "
                "collate_fn=DataCollatorWithPadding(tokenizer, padding=\"longest\"))\n"));
}

TEST(PasteReady, says_what_a_line_of_sequences_cannot) {
  EXPECT_THAT(
      lines_of({{"padding", "max_length"}}),
      HasSubstr(
          "DataCollatorWithPadding(tokenizer, padding=\"max_length\", max_length=N))\n# N as in"));
  EXPECT_THAT(lines_of({{"shuffle", false}, {"group_by_length", true}}),
              HasSubstr(")\n# LengthGroupedSampler shuffles"));
}

TEST(PasteReady, shares_among_ranks_by_pytorchs_sampler) {
  EXPECT_THAT(lines_of({{"shuffle", true}, {"drop_last", true}, {"ranks", std::int64_t{2}}}),
              AllOf(HasSubstr("sampler = DistributedSampler(dataset, shuffle=True, "
                              "drop_last=True)\n"
                              "loader = DataLoader(dataset, drop_last=True, sampler=sampler)\n")));
}

// tests/interop/paste_lines.py executes them.
TEST(PasteReady, copies_on_a_side_stream_only_where_that_was_measured) {
  const std::string lines = lines_of({{"copy_stream", "side"}, {"non_blocking", false}});
  EXPECT_THAT(lines, AllOf(StartsWith("import torch\n"), HasSubstr("\ndef on_device(batches):"),
                           HasSubstr("[x.to(device, non_blocking=False) for x in batch]"),
                           HasSubstr("if len(sent) > 0:"), Not(HasSubstr("x = x.to("))));
  EXPECT_THAT(lines_of({{"copy_stream", "same"}}), Not(HasSubstr("on_device")));
}

TEST(PasteReady, sends_as_many_batches_ahead_as_were_measured) {
  for (const std::int64_t ahead : {1, 2}) {
    EXPECT_THAT(lines_of({{"device_prefetch", ahead}, {"copy_stream", "side"}}),
                HasSubstr(fmt::format("if len(sent) > {}:", ahead)));
  }
}

TEST(PasteReady, copies_the_mapping_that_a_tokenizer_makes) {
  EXPECT_THAT(lines_of({{"copy_stream", "side"}, {"padding", "longest"}}),
              AllOf(HasSubstr("{name: x.to(device) for name, x in batch.items()}"),
                    HasSubstr("for x in batch.values():")));
}

TEST(PasteReady, normalizes_behind_the_copy_where_the_device_did) {
  EXPECT_THAT(lines_of({{"normalize_on", "gpu"}}),
              HasSubstr("\nx = (x.float() / 255 - mean) / std\n"));
  EXPECT_THAT(lines_of({{"normalize_on", "cpu"}}), Not(HasSubstr("mean")));
}

TEST(PasteReady, leaves_out_parts_that_a_mock_replaced) {
  EXPECT_THAT(lines_of({kPastedWorkers, {"loader", "cached"}}), Not(HasSubstr("DataLoader")));
  EXPECT_THAT(lines_of({{"loader", "cached"}, {"copy_stream", "side"}}),
              StartsWith("import torch\n\ndef on_device(batches):"));
  EXPECT_THAT(lines_of({kPastedWorkers, {"trainer", "discard"}}), Not(HasSubstr(".to(device")));
}

}  // namespace
}  // namespace feedrate
