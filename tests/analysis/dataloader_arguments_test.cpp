// SPDX-License-Identifier: Apache-2.0
#include "analysis/dataloader_arguments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/analysis/report/sample_run.h"

namespace feedrate {
namespace {

using ::testing::ElementsAre;
using ::testing::StartsWith;

CellResult cell_of(Settings settings) { return measured_cell(0, std::move(settings), 1.0); }

const Setting kWorkers{"num_workers", std::int64_t{2}};

TEST(WhyNotPastable, names_what_only_feedrate_has) {
  const auto reason = [](const char* knob, SettingValue value) {
    return why_not_pastable(cell_of({{knob, std::move(value)}}));
  };
  EXPECT_EQ(reason("decoder", "fast"),
            "decoder=fast is feedrate's own decoder; PyTorch has no such setting");
  EXPECT_THAT(reason("decoder", "scaled"), StartsWith("decoder=scaled is"));
  EXPECT_THAT(reason("hdf5_reads", "direct"), StartsWith("hdf5_reads=direct is"));
  EXPECT_THAT(reason("batched_reads", true), StartsWith("batched_reads=true is"));
  EXPECT_THAT(reason("shuffle_window", std::int64_t{64}), StartsWith("shuffle_window=64 is"));
}

TEST(WhyNotPastable, is_empty_where_torchvision_decodes_on_the_gpu) {
  EXPECT_TRUE(is_pastable(cell_of({{"decoder", "nvjpeg"}, {"transforms_on", "gpu"}})));
}

TEST(WhyNotPastable, is_empty_where_pytorch_can_do_the_same) {
  EXPECT_TRUE(is_pastable(cell_of({{"transport", "file_system"},
                                   {"decoder", "library"},
                                   {"hdf5_reads", ""},
                                   {"batched_reads", false},
                                   {"shuffle_window", std::int64_t{0}}})));
}

TEST(DataloaderKwargs, are_those_that_differ_from_pytorchs_defaults) {
  EXPECT_THAT(dataloader_kwargs(cell_of({kWorkers,
                                         {"timeout", 0.0},
                                         {"in_order", true},
                                         {"multiprocessing_context", "default"},
                                         {"engine", "torch"}})),
              ElementsAre(kWorkers));
  EXPECT_THAT(dataloader_kwargs(cell_of({kWorkers,
                                         {"timeout", 30.0},
                                         {"in_order", false},
                                         {"multiprocessing_context", "spawn"}})),
              ElementsAre(kWorkers, Setting{"timeout", 30.0}, Setting{"in_order", false},
                          Setting{"multiprocessing_context", "spawn"}));
}

TEST(DataloaderKwargs, name_the_start_method_of_the_native_engine) {
  EXPECT_THAT(dataloader_kwargs(cell_of(
                  {kWorkers, {"multiprocessing_context", "default"}, {"engine", "native"}})),
              ElementsAre(kWorkers, Setting{"multiprocessing_context", "fork"}));
}

TEST(DataloaderKwargs, leave_out_what_needs_workers_where_there_are_none) {
  const Setting none{"num_workers", std::int64_t{0}};
  EXPECT_THAT(dataloader_kwargs(cell_of({none,
                                         {"prefetch_factor", std::int64_t{2}},
                                         {"persistent_workers", false},
                                         {"timeout", 30.0},
                                         {"multiprocessing_context", "spawn"}})),
              ElementsAre(none));
}

}  // namespace
}  // namespace feedrate
