// SPDX-License-Identifier: Apache-2.0
#include "bench/plan/plan.h"

#include <algorithm>

#include "core/error.h"
#include "tests/support/matchers.h"

namespace feedrate {
namespace {

SweepConfig config(const char* sections) {
  return parse_config(std::string("dataset: {path: x}\ndevice: {name: 'sim:h200'}\n") + sections,
                      "s.yaml");
}

std::size_t running(const std::vector<Cell>& plan) {
  return static_cast<std::size_t>(std::count_if(
      plan.begin(), plan.end(), [](const Cell& cell) { return cell.skip_reason.empty(); }));
}

std::string cell_text(const Cell& cell, const char* name) { return text_of(cell.settings, name); }

TEST(Plan, is_the_product_of_the_axes) {
  const auto plan = make_plan(
      config(
          "loader: {num_workers: [1, 2, 4], prefetch_factor: [2, 4], pin_memory: [false, true]}"),
      {});
  EXPECT_EQ(plan.size(), 12U);
  EXPECT_EQ(running(plan), 12U);
  for (std::size_t i = 0; i < plan.size(); ++i) EXPECT_EQ(plan[i].index, i);
  EXPECT_EQ(cell_text(plan[0], "num_workers"), "1");
  EXPECT_EQ(cell_text(plan[1], "prefetch_factor"), "4");  // the last axis varies fastest
  EXPECT_EQ(cell_text(plan[11], "num_workers"), "4");
}

TEST(Plan, runs_equal_cells_once_and_says_which) {
  const auto plan = make_plan(config("loader: {num_workers: [0, 2], prefetch_factor: [2, 4]}"), {});
  ASSERT_EQ(plan.size(), 4U);
  EXPECT_THAT(plan[0].skip_reason, IsEmpty());
  EXPECT_EQ(cell_text(plan[0], "prefetch_factor"), "");
  EXPECT_EQ(plan[1].skip_reason,
            "counted once: prefetch_factor has no effect without workers (PyTorch rejects it)");
  EXPECT_EQ(cell_text(plan[1], "prefetch_factor"), "4");  // as written by the user
  EXPECT_EQ(running(plan), 3U);
}

TEST(Plan, runs_a_cell_without_workers_with_a_constant_prefetch_factor) {
  const auto plan =
      make_plan(config("loader: {num_workers: [0, 2], persistent_workers: true}"), {});
  EXPECT_EQ(running(plan), 2U);
  EXPECT_EQ(cell_text(plan[0], "persistent_workers"), "");
  EXPECT_EQ(cell_text(plan[1], "persistent_workers"), "true");
}

TEST(Plan, takes_step_ms_for_the_first_batch_size) {
  const auto plan = make_plan(config("loader: {batch_size: [128, 64]}"), {});
  EXPECT_EQ(cell_text(plan[0], "reference_batch"), "128");
  EXPECT_EQ(cell_text(plan[1], "reference_batch"), "128");
}

TEST(Plan, counts_a_duplicate_reference_batch_once) {
  EXPECT_EQ(
      make_plan(config("loader: {batch_size: 16}\ntrainer: {reference_batch: [0, 16]}"), {}).size(),
      1U);
}

TEST(Plan, keeps_only_what_is_asked_for) {
  PlanOptions options;
  options.only = {parse_axis("num_workers=2")};
  const auto plan =
      make_plan(config("loader: {num_workers: [0, 2], prefetch_factor: [2, 4]}"), options);
  EXPECT_EQ(plan.size(), 2U);
  EXPECT_EQ(running(plan), 2U);
}

TEST(Plan, skips_more_workers_than_max_workers_per_cpu) {
  PlanOptions options;
  options.usable_cpus = 2;
  const auto plan =
      make_plan(config("loader: {num_workers: [4, 8, 16], max_workers_per_cpu: 4}"), options);
  EXPECT_EQ(running(plan), 2U);
  EXPECT_EQ(plan[2].skip_reason, "more than max_workers_per_cpu 4 on 2 usable CPUs");
}

TEST(Plan, skips_a_cell_without_loader_and_trainer) {
  const auto plan = make_plan(
      config("loader: {kind: [dataloader, cached]}\ntrainer: {kind: [burn, discard]}"), {});
  EXPECT_EQ(running(plan), 3U);
  EXPECT_EQ(plan[3].skip_reason, "nothing to measure: both the loader and the trainer are mocks");
}

TEST(Plan, without_a_cell_to_run_is_an_error) {
  PlanOptions nothing;
  nothing.only = {parse_axis("num_workers=7")};
  EXPECT_THAT([&] { static_cast<void>(make_plan(config(""), nothing)); },
              ThrowsMessage<ConfigError>(HasSubstr("--only: no cell")));
  PlanOptions options;
  EXPECT_THAT(
      [&] {
        static_cast<void>(
            make_plan(config("loader: {num_workers: 64, max_workers_per_cpu: 1}"), options));
      },
      ThrowsMessage<ConfigError>(HasSubstr("every cell is skipped:\n  1 cell: ")));
}

TEST(VaryingAxes, are_those_with_more_than_one_value) {
  EXPECT_THAT(varying_axes(config("loader: {num_workers: [0, 2], batch_size: 8}")),
              ElementsAre("num_workers"));
}

TEST(Plan, skips_what_an_engine_does_not_have) {
  const auto reason = [](std::initializer_list<const char*> axes) {
    SweepConfig config =
        parse_config("dataset: {path: x}\nloader: {num_workers: [0, 2]}\n", "s.yaml");
    for (const char* axis : axes) override_axis(config, parse_axis(axis));
    return make_plan(config, {}).back().skip_reason;
  };
  EXPECT_THAT(reason({"multiprocessing_context=spawn"}), HasSubstr("which forks its workers"));
  EXPECT_THAT(reason({"engine=torch", "multiprocessing_context=spawn"}), IsEmpty());
}

// Why the cell with these values is skipped; all other knobs have the sweep's values.
std::string reason_for(std::initializer_list<const char*> axes, const char* pipeline = "") {
  SweepConfig sweep = config(pipeline);
  for (const char* cell_text : axes) {
    Axis axis = parse_axis(cell_text);
    const Axis& usual = *std::find_if(sweep.axes.begin(), sweep.axes.end(),
                                      [&](const Axis& known) { return known.name == axis.name; });
    axis.values.push_back(usual.values.front());
    override_axis(sweep, std::move(axis));
  }
  return make_plan(sweep, {}).front().skip_reason;
}

TEST(Plan, skips_what_only_the_native_engine_does) {
  for (const char* knob : {"wire_dtype=float16", "cuda_graph=true", "trainer=gemm"}) {
    EXPECT_THAT(reason_for({"engine=torch", "pin_memory=true", knob}),
                HasSubstr("only the native engine"))
        << knob;
  }
  EXPECT_THAT(reason_for({"engine=torch", "pin_memory=true"}), IsEmpty());
  EXPECT_THAT(reason_for({"engine=torch", "pin_memory=true", "device_prefetch=1"}), IsEmpty());
  EXPECT_THAT(reason_for({"engine=torch", "device=cuda", "wire_dtype=uint8", "normalize_on=gpu"}),
              IsEmpty());
}

TEST(Plan, skips_a_trainer_that_has_nothing_to_do) {
  EXPECT_THAT(reason_for({"trainer=gemm"}), HasSubstr("needs trainer.shapes"));
  EXPECT_THAT(reason_for({"trainer=cnn"}), HasSubstr("surf-cifar10, resnet50"));
  EXPECT_THAT(reason_for({"trainer=trace"}), HasSubstr("needs trainer.steps_ms"));
  EXPECT_THAT(reason_for({"trainer=cnn", "model=resnet50"}), IsEmpty());
}

TEST(Plan, skips_an_arithmetic_that_the_device_lacks) {
  EXPECT_THAT(
      reason_for({"device=sim:v100-pcie3", "trainer=cnn", "model=resnet50", "precision=bf16"}),
      HasSubstr("precision bf16"));
  EXPECT_THAT(
      reason_for({"device=sim:v100-pcie3", "trainer=cnn", "model=resnet50", "precision=fp16"}),
      IsEmpty());
}

TEST(Plan, skips_what_cannot_take_sequences) {
  const char* const tokens = "pipeline: {transforms: [tokens: 100]}\n";
  EXPECT_THAT(reason_for({"padding=longest"}), HasSubstr("padding: applies to sequences"));
  EXPECT_THAT(reason_for({"group_by_length=true"}),
              HasSubstr("group_by_length: applies to sequences"));
  EXPECT_THAT(reason_for({"padding=longest", "group_by_length=true"}, tokens), IsEmpty());
  for (const char* const padding : {"padding=longest", "padding=max_length"}) {
    EXPECT_THAT(reason_for({"trainer=cnn", "model=resnet50", padding}, tokens),
                HasSubstr("not supported for token sequences"));
    EXPECT_THAT(reason_for({"cuda_graph=true", padding}, tokens),
                HasSubstr("not supported for token sequences"));
  }
  EXPECT_THAT(reason_for({"cache=cold", "group_by_length=true"}, tokens),
              HasSubstr("all lengths are read first"));
  EXPECT_THAT(reason_for({"loader=cached"}, tokens), HasSubstr("one batch cannot represent"));
  EXPECT_THAT(reason_for({"loader=cached", "padding=max_length"}, tokens), IsEmpty());
  EXPECT_THAT(reason_for({"wire_dtype=float16"}, tokens), HasSubstr("the pipeline is tokens"));
}

TEST(Plan, groups_no_dataset_of_the_users_own) {
  const SweepConfig config = parse_config(
      "dataset: {torch: 'a:b'}\ndevice: {name: 'sim:h200'}\n"
      "loader: {group_by_length: [true, false]}\n",
      "s.yaml");
  EXPECT_THAT(make_plan(config, {}).front().skip_reason,
              HasSubstr("group_by_length: not supported for datasets of dataset.torch"));
}

TEST(Plan, takes_batches_of_the_datasets_own_only_where_it_is_the_users) {
  EXPECT_THAT(reason_for({"batch_size=null"}), HasSubstr("batch_size null: only supported for"));
  const auto own = [](const char* trainer) {
    const SweepConfig config =
        parse_config(std::string("dataset: {torch: 'a:b'}\ndevice: {name: 'sim:h200'}\n"
                                 "loader: {batch_size: [null, 8], drop_last: true}\ntrainer: ") +
                         trainer,
                     "s.yaml");
    return make_plan(config, {}).front();
  };
  EXPECT_THAT(own("{kind: burn, step_ms: 5}").skip_reason, HasSubstr("needs trainer.reference"));
  EXPECT_THAT(own("{kind: burn, step_ms: 5, reference_batch: 32}").skip_reason, IsEmpty());
  EXPECT_THAT(own("{kind: discard}").skip_reason, IsEmpty());
  EXPECT_EQ(cell_text(own("{kind: discard}"), "drop_last"), "");
}

TEST(Plan, leaves_no_batch_of_pythons_on_the_device) {
  const SweepConfig config = parse_config(
      "dataset: {torch: 'a:b'}\ndevice: {name: 'sim:h200'}\nloader: {kind: [dataloader, "
      "resident]}\n",
      "s.yaml");
  EXPECT_THAT(make_plan(config, {}).back().skip_reason,
              HasSubstr("loader resident: only the native engine supports it"));
}

TEST(Plan, skips_points_sampled_beforehand_where_there_are_none) {
  EXPECT_THAT(reason_for({"presampled=true"}), HasSubstr("presampled: applies to point clouds"));
  EXPECT_THAT(reason_for({"presampled=true"}, "pipeline: {transforms: [sample_points: 100]}\n"),
              IsEmpty());
}

TEST(Plan, skips_impossible_types_of_copied_data) {
  const char* const bytes = "pipeline: {transforms: [pil_to_tensor]}\n";
  EXPECT_THAT(reason_for({"wire_dtype=uint8"}), HasSubstr("needs normalize_on gpu"));
  EXPECT_THAT(reason_for({"normalize_on=gpu"}), HasSubstr("needs bytes"));
  EXPECT_THAT(reason_for({"wire_dtype=float16", "normalize_on=gpu"}), HasSubstr("needs bytes"));
  EXPECT_THAT(reason_for({"normalize_on=gpu", "wire_dtype=uint8"}, bytes),
              HasSubstr("there is nothing to normalize"));
  EXPECT_THAT(reason_for({"wire_dtype=float32"}, bytes), HasSubstr("samples are copied unchanged"));
  EXPECT_THAT(reason_for({"wire_dtype=uint8"}, bytes), IsEmpty());
  EXPECT_THAT(reason_for({"wire_dtype=float16"}), IsEmpty());
  EXPECT_THAT(reason_for({"wire_dtype=uint8", "normalize_on=gpu"}), IsEmpty());
}

TEST(Plan, skips_what_the_device_cannot_do_to_images) {
  const char* const training =
      "pipeline: {transforms: [random_resized_crop: 32, horizontal_flip, to_tensor]}\n";
  const char* const as_stored = "pipeline: {transforms: [to_tensor]}\n";
  const char* const bytes = "pipeline: {transforms: [random_resized_crop: 32, pil_to_tensor]}\n";
  EXPECT_THAT(reason_for({"transforms_on=gpu"}, training), IsEmpty());
  EXPECT_THAT(reason_for({"transforms_on=gpu"}, as_stored), HasSubstr("in one size"));
  EXPECT_THAT(reason_for({"transforms_on=gpu"}, bytes), HasSubstr("must end in to_tensor"));
  EXPECT_THAT(reason_for({"transforms_on=gpu", "wire_dtype=float16"}, training),
              HasSubstr("cannot be combined with normalize_on or wire_dtype"));
  EXPECT_THAT(reason_for({"transforms_on=gpu", "normalize_on=gpu", "wire_dtype=uint8"}, training),
              HasSubstr("cannot be combined with normalize_on or wire_dtype"));
  EXPECT_THAT(reason_for({"engine=torch", "transforms_on=gpu"}, training),
              HasSubstr("only the native engine"));
  EXPECT_THAT(reason_for({"cache=cold", "transforms_on=gpu"}, training),
              HasSubstr("images are read to size a batch"));
}

TEST(Plan, skips_a_decoder_that_the_device_lacks) {
  const char* const training = "pipeline: {transforms: [random_resized_crop: 32, to_tensor]}\n";
  EXPECT_THAT(reason_for({"decoder=nvjpeg"}, training), HasSubstr("needs transforms_on gpu"));
  EXPECT_THAT(
      reason_for({"decoder=nvjpeg", "transforms_on=gpu", "device=sim:v100-pcie3"}, training),
      HasSubstr("no nvJPEG rate"));
  EXPECT_THAT(
      reason_for({"decoder=nvjpeg", "transforms_on=gpu", "device=sim:a100-pcie4"}, training),
      IsEmpty());
  EXPECT_THAT(reason_for({"decoder=nvjpeg", "transforms_on=gpu", "trainer=discard"}, training),
              IsEmpty());
  EXPECT_THAT(reason_for({"engine=torch", "decoder=nvjpeg", "transforms_on=gpu"}, training),
              HasSubstr("only the native engine"));
}

}  // namespace
}  // namespace feedrate
