#include "report/paste_lines.h"

#include <gtest/gtest.h>

#include "tests/report/sample_run.h"

namespace feedrate {
namespace {

TEST(PasteReady, names_the_knobs_in_python) {
  EXPECT_EQ(paste_ready(sample_run().cells[0]),
            "loader = DataLoader(dataset, batch_size=128, shuffle=True, num_workers=2, "
            "prefetch_factor=2, pin_memory=True, persistent_workers=False, drop_last=False)\n"
            "x = x.to(device, non_blocking=True)\n");
}

TEST(PasteReady, leaves_out_what_needs_workers_where_there_are_none) {
  const std::string lines = paste_ready(sample_run().cells[1]);
  EXPECT_EQ(lines.find("prefetch_factor"), std::string::npos);
  EXPECT_EQ(lines.find("persistent_workers"), std::string::npos);
}

TEST(PasteReady, pads_and_groups_sequences_by_hugging_faces_names) {
  const CellResult cell = measured_cell(0,
                                        {{"batch_size", std::int64_t{32}},
                                         {"shuffle", true},
                                         {"padding", std::string("longest")},
                                         {"group_by_length", true}},
                                        1.0);
  EXPECT_NE(paste_ready(cell).find(
                "DataLoader(dataset, batch_size=32, sampler=LengthGroupedSampler(32, dataset), "
                "collate_fn=DataCollatorWithPadding(tokenizer, padding=\"longest\"))\n"),
            std::string::npos);
}

TEST(PasteReady, says_what_a_line_of_sequences_cannot) {
  const CellResult padded = measured_cell(0, {{"padding", std::string("max_length")}}, 1.0);
  EXPECT_NE(
      paste_ready(padded).find(
          "DataCollatorWithPadding(tokenizer, padding=\"max_length\", max_length=N))\n# N is"),
      std::string::npos);
  const CellResult unshuffled =
      measured_cell(0, {{"shuffle", false}, {"group_by_length", true}}, 1.0);
  EXPECT_NE(paste_ready(unshuffled).find(")\n# LengthGroupedSampler shuffles"), std::string::npos);
}

TEST(PasteReady, names_in_order_and_the_side_stream_only_where_they_matter) {
  const CellResult cell = measured_cell(
      0, {{"in_order", false}, {"copy_stream", std::string("side")}, {"non_blocking", false}}, 1.0);
  const std::string lines = paste_ready(cell);
  EXPECT_NE(lines.find("DataLoader(dataset, in_order=False)\n"), std::string::npos);
  EXPECT_NE(lines.find("\n# Issue the copy on a side stream, torch.cuda.Stream()"),
            std::string::npos);
  EXPECT_NE(lines.find("x = x.to(device, non_blocking=False)\n"), std::string::npos);
}

TEST(PasteReady, says_how_many_batches_are_sent_ahead) {
  const auto lines = [](std::int64_t ahead) {
    return paste_ready(
        measured_cell(0, {{"device_prefetch", ahead}, {"copy_stream", std::string("side")}}, 1.0));
  };
  EXPECT_NE(lines(1).find("Stream(), one batch before the step"), std::string::npos) << lines(1);
  EXPECT_NE(lines(2).find("Stream(), 2 batches before the step"), std::string::npos) << lines(2);
}

}  // namespace
}  // namespace feedrate
