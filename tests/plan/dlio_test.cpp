// SPDX-License-Identifier: Apache-2.0
#include "plan/dlio.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "plan/config.h"

namespace feedrate {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

DlioSweep convert(const std::string& text) {
  return sweep_of_dlio(parse_yaml(text, "workload.yaml"), "workload");
}

void expect_dlio_error(const std::string& text, const char* message) {
  EXPECT_THAT([&] { static_cast<void>(convert(text)); },
              ThrowsMessage<ConfigError>(HasSubstr(message)));
}

// The keys of mlcommons/storage's unet3d_h100.yaml, with data to be made.
constexpr const char* kUnet3d =
    "model: {name: unet3d, type: cnn, model_size: 499153191}\n"
    "framework: pytorch\n"
    "workflow: {generate_data: True, train: True, checkpoint: False}\n"
    "dataset:\n"
    "  data_folder: data/unet3d/\n"
    "  format: npz\n"
    "  num_files_train: 168\n"
    "  num_samples_per_file: 1\n"
    "  record_length_bytes: 146600628\n"
    "  record_length_bytes_stdev: 68341808\n"
    "  record_length_bytes_resize: 2097152\n"
    "reader: {data_loader: pytorch, batch_size: 7, read_threads: 4, file_shuffle: seed,\n"
    "         sample_shuffle: seed}\n"
    "train: {epochs: 5, computation_time: 0.323}\n"
    "checkpoint: {checkpoint_folder: checkpoints/unet3d, checkpoint_after_epoch: 5}\n"
    "metric: {au: 0.90}\n";

TEST(Dlio, unet3d_becomes_this_sweep) {
  const DlioSweep sweep = convert(kUnet3d);
  EXPECT_EQ(sweep.yaml,
            "# Does the loader keep the accelerator busy in the DLIO workload unet3d?\n"
            "dataset: {path: 'data/unet3d/train', make: {preset: bytes, format: npz, count: 168, "
            "record_bytes: 146600628, record_bytes_stdev: 68341808}}\n"
            "pipeline: {transforms: [resize_bytes: 2097152]}\n"
            "loader: {batch_size: 7, num_workers: 4, pin_memory: true, drop_last: true, shuffle: "
            "true, prefetch_factor: 1, persistent_workers: true}\n"
            "trainer: {kind: burn, step_ms: 323, reference_batch: 7}\n"
            "measure: {au_threshold: 0.9}\n");
  EXPECT_THAT(
      sweep.warnings,
      ElementsAre(
          "DLIO workload: these keys have no counterpart and are ignored: workflow.checkpoint, "
          "train.epochs, checkpoint.checkpoint_folder, checkpoint.checkpoint_after_epoch."));
}

TEST(Dlio, is_read_where_a_sweep_is) {
  const SweepConfig config = parse_config(kUnet3d, "dir/unet3d_h100.yaml");
  EXPECT_EQ(config.name, "unet3d_h100");
  EXPECT_EQ(config.dataset.path, "data/unet3d/train");
  ASSERT_TRUE(config.dataset.make);
  EXPECT_EQ(config.dataset.make->count, 168U);
  EXPECT_EQ(config.pipeline.resize_bytes, 2097152U);
  EXPECT_EQ(config.measure.au_threshold, 0.9);
  EXPECT_EQ(config.warnings.size(), 1U);
  // What a run keeps, so that it goes on without the workload.
  EXPECT_EQ(parse_config(config.text, "unet3d_h100.yaml").dataset.path, config.dataset.path);
}

TEST(Dlio, sweeps_are_no_workloads) {
  EXPECT_FALSE(is_dlio_workload(parse_yaml("dataset: {path: x}\ntrain: {epochs: 5}\n", "s.yaml")));
  EXPECT_FALSE(is_dlio_workload(parse_yaml("dataset: x\n", "s.yaml")));
  EXPECT_TRUE(is_dlio_workload(parse_yaml("dataset: {num_files_train: 8}\n", "s.yaml")));
}

TEST(Dlio, has_dlios_defaults) {
  const std::string yaml = convert(
                               "dataset: {num_files_train: 8}\n"
                               "workflow: {generate_data: yes}\n"
                               "train: {computation_time: 0.00551}\n")
                               .yaml;
  EXPECT_THAT(yaml, HasSubstr("path: './data/train'"));
  EXPECT_THAT(yaml, HasSubstr("format: tfrecord, count: 8, record_bytes: 65536"));
  EXPECT_THAT(yaml, HasSubstr("resize_bytes: 65536"));
  EXPECT_THAT(yaml, HasSubstr("batch_size: 1, num_workers: 1, pin_memory: true, drop_last: true, "
                              "shuffle: false, prefetch_factor: 2"));
  EXPECT_THAT(yaml, HasSubstr("step_ms: 5.51"));
  EXPECT_THAT(yaml, HasSubstr("au_threshold: 0.9"));
}

TEST(Dlio, records_of_tfrecord_files_are_as_many_a_file) {
  const DlioSweep sweep = convert(
      "dataset: {num_files_train: 1024, num_samples_per_file: 1251, format: tfrecord,\n"
      "          record_length_bytes: 114660.07, record_length_bytes_resize: 150528}\n"
      "workflow: {generate_data: True}\n"
      "reader: {data_loader: tensorflow, read_threads: 8, prefetch_size: 0}\n");
  EXPECT_THAT(sweep.yaml, HasSubstr("count: 1281024, record_bytes: 114660, record_bytes_stdev: 0, "
                                    "shard_bytes: 143599876"));
  EXPECT_THAT(sweep.yaml, HasSubstr("prefetch_factor: 2"));  // DLIO takes 2 for 0.
  EXPECT_THAT(sweep.warnings, ElementsAre(HasSubstr("reader.data_loader is tensorflow")));
}

TEST(Dlio, images_are_decoded_and_handed_on_in_as_many_bytes) {
  const std::string yaml = convert(
                               "dataset: {num_files_train: 9, format: jpeg,\n"
                               "          record_length_bytes: 322957}\n"
                               "workflow: {generate_data: True}\n")
                               .yaml;
  EXPECT_THAT(yaml, HasSubstr("preset: imagenet-like, count: 9, encoding: jpeg, size: 742"));
  EXPECT_THAT(yaml, HasSubstr("transforms: [center_crop: 328, pil_to_tensor]"));
}

TEST(Dlio, data_that_is_not_to_be_made_must_be_there) {
  const DlioSweep sweep = convert("dataset: {num_files_train: 8, data_folder: it's/mine}\n");
  EXPECT_THAT(sweep.yaml, HasSubstr("dataset: {path: 'it''s/mine/train'}"));
  EXPECT_THAT(sweep.warnings, ElementsAre(HasSubstr("must be in it's/mine/train")));
}

TEST(Dlio, of_a_distribution_of_steps_only_the_mean_is_taken) {
  const DlioSweep sweep = convert(
      "dataset: {num_files_train: 8}\nworkflow: {generate_data: True}\n"
      "train: {computation_time: {mean: 0.5, stdev: 0.1}, total_training_steps: 30, "
      "seed: 7}\n");
  EXPECT_THAT(sweep.yaml, HasSubstr("step_ms: 500"));
  EXPECT_THAT(sweep.yaml, HasSubstr("seed: 7, steps: 30"));
  EXPECT_THAT(sweep.warnings,
              ElementsAre(HasSubstr("only the mean of train.computation_time is used, 0.5 s")));
}

TEST(Dlio, without_workers_nothing_is_prefetched) {
  const std::string yaml =
      convert("dataset: {num_files_train: 8}\nreader: {read_threads: 0}\n").yaml;
  EXPECT_THAT(yaml, HasSubstr("num_workers: 0"));
  EXPECT_THAT(yaml, ::testing::Not(HasSubstr("prefetch_factor")));
}

TEST(Dlio, names_file_line_and_key_of_what_cannot_be_a_sweep) {
  expect_dlio_error(
      "dataset:\n  num_files_train: 8\n  format: hdf5\n",
      "workload.yaml:3: dataset.format: 'hdf5' is not supported; must be npz, tfrecord or jpeg");
  expect_dlio_error("dataset: {num_files_train: 8, format: npz, num_samples_per_file: 4}\n",
                    "dataset.num_samples_per_file: a npz file holds one record");
  expect_dlio_error("dataset: {num_files_train: '${x}'}\n", "dataset.num_files_train: ");
  expect_dlio_error("dataset: {num_files_train: 8}\nreader: {batch_size: 0}\n",
                    "workload.yaml:2: reader.batch_size: 0 is out of range");
  expect_dlio_error("dataset: {num_files_train: 8}\nreader: {pin_memory: maybe}\n",
                    "reader.pin_memory: must be true or false");
}

}  // namespace
}  // namespace feedrate
