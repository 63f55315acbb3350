// SPDX-License-Identifier: Apache-2.0
// Workloads of MLPerf Storage and DLIO: verdicts, and DLIO's YAML.
#include "analysis/report/load_run.h"
#include "tests/program/workspace.h"

namespace feedrate::testing {
namespace {

class Mlperf : public Workspace {
 protected:
  void write_sweep(std::string_view measure) const {
    write("s.yaml",
          fmt::format(
              "# Does it keep up?\n"
              "engine: native\ndataset: {{path: ds, make: {{preset: bytes, format: npz, count: 16, "
              "record_bytes: 5000, record_bytes_stdev: 1000}}}}\n"
              "pipeline: {{transforms: [resize_bytes: 3000]}}\n"
              "loader: {{batch_size: 4}}\n"
              "device: {{name: 'sim:h100-pcie5'}}\n"
              "trainer: {{step_ms: 10}}\n"
              "measure: {{steps: 4, repeats: 1, limits: false{}}}\n",
              measure));
  }
};

TEST_F(Mlperf, a_cell_passes_or_fails_by_the_threshold_and_the_sweep_does_not) {
  write_sweep(", au_threshold: 0.01");
  const Finished passed = succeeds("sweep s.yaml --out passed");
  EXPECT_THAT(passed.err, HasSubstr("making ds: 16 records of 5.00 kB, 80.0 kB in all"));
  EXPECT_THAT(passed.out, AllOf(HasSubstr("au_verdict"), HasSubstr("pass")));
  write_sweep(", au_threshold: 1");
  EXPECT_THAT(succeeds("sweep s.yaml --out failed").out, HasSubstr("fail"));
  const CellResult cell = load_run(path("failed")).cells.front();
  ASSERT_NE(find_metric(cell.metrics, "au_verdict"), nullptr);
  EXPECT_EQ(*find_metric(cell.metrics, "au_verdict"), 0.0);
}

TEST_F(Mlperf, formats_of_opaque_bytes_are_an_axis) {
  write_sweep("");
  prepare("sweep s.yaml --out results --axis format=npz,tfrecord");
  for (const CellResult& cell : load_run(path("results")).cells) {
    EXPECT_EQ(cell.outcome, Outcome::kOk) << cell.reason;
  }
}

TEST_F(Mlperf, an_image_pipeline_says_what_takes_opaque_bytes) {
  write_sweep("");
  const std::string text = read("s.yaml");
  const std::string pipeline = "resize_bytes: 3000";
  write("t.yaml", std::string(text).replace(text.find(pipeline), pipeline.size(), "to_tensor"));
  const Finished done = feedrate("sweep t.yaml --out results");
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.out, HasSubstr("holds opaque bytes, not an image"));
}

TEST_F(Mlperf, a_workload_of_dlio_is_swept) {
  write("cosmoflow.yaml",
        "model: {name: cosmoflow}\n"
        "framework: tensorflow\n"
        "workflow: {generate_data: True, train: True}\n"
        "dataset: {data_folder: data/cosmoflow, format: tfrecord, num_files_train: 8,\n"
        "          num_samples_per_file: 1, record_length_bytes: 20000,\n"
        "          record_length_bytes_stdev: 500}\n"
        "reader: {data_loader: tensorflow, read_threads: 2, batch_size: 1, file_shuffle: seed}\n"
        "train: {epochs: 5, computation_time: 0.002}\n"
        "metric: {au: 0.70}\n");
  EXPECT_THAT(succeeds("plan cosmoflow.yaml --device sim:h100-pcie5").err,
              HasSubstr("no counterpart and are ignored: train.epochs"));

  const Finished done =
      succeeds("sweep cosmoflow.yaml --out results --device sim:h100-pcie5 --steps 4 --repeats 1");
  EXPECT_EQ(listing("data/cosmoflow/train").size(), 16U);  // each with its index
  EXPECT_THAT(
      done.out,
      AllOf(HasSubstr("Does the loader keep the accelerator busy in the DLIO workload cosmoflow"),
            HasSubstr("au_verdict"), HasSubstr("are ignored: train.epochs")));
  prepare("sweep --resume results --repeats +1");
}

}  // namespace
}  // namespace feedrate::testing
