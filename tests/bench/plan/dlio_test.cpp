// SPDX-License-Identifier: Apache-2.0
#include "bench/plan/dlio.h"

#include <fmt/format.h>

#include "bench/plan/config.h"
#include "core/error.h"
#include "tests/support/matchers.h"

namespace feedrate {
namespace {

DlioSweep convert(const std::string& text) {
  return sweep_of_dlio(parse_yaml(text, "workload.yaml"), "workload");
}

void expect_dlio_error(const std::string& text, const char* message) {
  EXPECT_THAT([&] { static_cast<void>(convert(text)); },
              ThrowsMessage<ConfigError>(HasSubstr(message)));
}

// The keys of mlcommons/storage's unet3d_h100.yaml, with generated data.
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
  EXPECT_EQ(
      sweep.yaml,
      "# Does the loader keep the accelerator busy in the DLIO workload unet3d, 168 npz records "
      "of 146,600,628 bytes, 24.6 GB in all?\n"
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
  // the stored text is the converted sweep, without the workload
  EXPECT_EQ(parse_config(config.text, "unet3d_h100.yaml").dataset.path, config.dataset.path);
}

// The names of MLPerf Storage v0.5 and v1.0, and of DLIO before February 2025.
TEST(Dlio, record_sizes_have_the_names_until_2025_too) {
  std::string text = kUnet3d;
  for (std::size_t at = 0; (at = text.find("_bytes", at)) != std::string::npos;) text.erase(at, 6);
  EXPECT_THAT(text, HasSubstr("record_length_resize: 2097152"));
  EXPECT_EQ(convert(text).yaml, convert(kUnet3d).yaml);
  expect_dlio_error(
      "dataset:\n  num_files_train: 8\n  record_length_bytes: 5\n  record_length: 6\n",
      "workload.yaml:4: dataset.record_length: is also given as dataset.record_length_bytes");
}

TEST(Dlio, sections_and_keys_have_their_old_names_too) {
  const std::string yaml = convert(
                               "dataset: {num_files_train: 8, batch_size: 5}\n"
                               "data_reader: {read_threads: 3, computatation_threads: 2}\n")
                               .yaml;
  EXPECT_THAT(yaml, HasSubstr("batch_size: 5, num_workers: 3"));
}

TEST(Dlio, what_hydra_keeps_of_a_run_is_a_workload) {
  std::string nested = "workload:\n";
  for (std::string line, rest = kUnet3d; !rest.empty(); rest.erase(0, line.size() + 1)) {
    line = rest.substr(0, rest.find('\n'));
    nested += "  " + line + '\n';
  }
  ASSERT_TRUE(is_dlio_workload(parse_yaml(nested, "config.yaml")));
  EXPECT_EQ(convert(nested).yaml, convert(kUnet3d).yaml);
}

TEST(Dlio, files_lie_below_the_root_of_the_storage) {
  const auto path_below = [](const char* root) {
    return convert(fmt::format("dataset: {{data_folder: a/b/}}\n"
                               "storage: {{storage_type: local_fs, storage_root: {}}}\n",
                               root))
        .yaml;
  };
  EXPECT_THAT(path_below("/mnt/x"), HasSubstr("path: '/mnt/x/a/b/train'"));
  EXPECT_THAT(path_below("./"), HasSubstr("path: './a/b/train'"));
}

TEST(Dlio, a_workload_that_loads_nothing_is_refused) {
  // MLPerf Storage's llama3_8b.yaml, and its *_datagen.yaml.
  const std::string checkpoints =
      "model: {name: llama_8b}\nframework: pytorch\n"
      "workflow:\n  generate_data: False\n  train: False\n  checkpoint: True\n"
      "checkpoint: {checkpoint_folder: checkpoints/llama_8b}\n";
  EXPECT_TRUE(is_dlio_workload(parse_yaml(checkpoints, "workload.yaml")));
  expect_dlio_error(checkpoints,
                    "workload.yaml:5: workflow.train: is false: this workload loads "
                    "nothing");
  expect_dlio_error(
      "workflow: {generate_data: True, train: False}\ndataset: {data_folder: x, format: parquet}\n",
      "workflow.train: is false");
}

TEST(Dlio, keys_that_change_what_is_read_are_never_ignored) {
  const auto expect_refused = [](const std::string& section, const std::string& entry,
                                 const std::string& problem) {
    const std::string dataset = section == "dataset" ? ", " + entry : "";
    const std::string other = section == "dataset" ? "" : section + ": {" + entry + "}\n";
    const std::string key = entry.substr(0, entry.find(':'));
    expect_dlio_error("dataset: {num_files_train: 8" + dataset + "}\n" + other,
                      fmt::format("{}.{}: {}", section, key, problem).c_str());
  };
  const std::string value = "feedrate cannot honor this value; must be ";
  expect_refused("dataset", "compression: gzip", value + "none");
  expect_refused("dataset", "enable_chunking: True", value + "false");
  expect_refused("dataset", "num_subfolders_train: 2", value + "0 or 1");
  expect_refused("reader", "read_type: memory", value + "on_demand");
  expect_refused("reader", "file_access: shared", value + "multi");
  expect_refused("reader", "odirect: True", value + "false");
  expect_refused("reader", "preprocess_time: 0.2", value + "0");
  expect_refused("reader", "preprocess_time: {mean: 0.2}", value + "0");
  expect_refused("storage", "storage_type: s3", value + "local_fs");
  expect_refused("reader", "data_loader: synthetic", "'synthetic' reads other data");
  const std::string unknown = "feedrate does not know this key";
  expect_refused("dataset", "record_dims: [4, 5]", unknown);
  expect_refused("dataset", "hdf5: {chunk_dims: [4]}", unknown);
  expect_refused("reader", "transformed_record_dims: [4]", unknown);
  expect_refused("reader", "reader_classname: a.b", unknown);
  expect_refused("storage", "storage_options: {region: x}", unknown);
  expect_refused("dataset", "record_length_std: 3",
                 unknown +
                     ", which may change what is read; remove it if it does not; did you mean "
                     "record_length_stdev?");
  expect_dlio_error("dataset: {num_files_train: 8}\ndata_loader: {batch_size: 3}\n",
                    "workload.yaml:2: data_loader: is not a section of a DLIO workload");
}

TEST(Dlio, keys_whose_value_changes_nothing_are_named) {
  EXPECT_THAT(
      convert("dataset: {num_files_train: 8, compression: none, enable_chunking: False}\n"
              "workflow: {generate_data: True}\n"
              "reader: {read_type: on_demand, preprocess_time: 0.0, transfer_size: 262144}\n")
          .warnings,
      ElementsAre("DLIO workload: these keys have no counterpart and are ignored: "
                  "dataset.compression, dataset.enable_chunking, reader.read_type, "
                  "reader.preprocess_time, reader.transfer_size."));
}

// Formats of MLPerf Storage v3.0's DLRM and Flux, and of DLIO.
TEST(Dlio, other_formats_of_dlio_are_refused_by_name) {
  for (const char* format : {"parquet", "png", "npy", "hdf5", "hdf5_opt", "csv", "indexed_binary",
                             "mmap_indexed_binary", "synthetic"}) {
    expect_dlio_error(
        fmt::format("dataset: {{num_files_train: 8, parquet: {{columns: []}}, format: {}}}\n",
                    format),
        fmt::format("dataset.format: '{}' is not supported; must be npz, tfrecord or jpeg; what "
                    "reads other formats in Python can be swept as dataset.torch",
                    format)
            .c_str());
  }
}

TEST(Dlio, images_of_many_sizes_are_refused) {
  expect_dlio_error(
      "dataset: {num_files_train: 8, format: jpeg, record_length: 9000, record_length_stdev: 5}\n",
      "dataset.record_length_bytes_stdev: images are made in one size; must be 0 for jpeg");
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
  EXPECT_THAT(sweep.yaml, HasSubstr("prefetch_factor: 2"));  // DLIO replaces 0 by 2
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
  EXPECT_THAT(yaml, Not(HasSubstr("prefetch_factor")));
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
