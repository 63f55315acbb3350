// SPDX-License-Identifier: Apache-2.0
// Wrong configurations and paths are refused by name before anything is made or measured.
#include <fstream>

#include <sys/stat.h>

#include "tests/program/workspace.h"

namespace feedrate::testing {
namespace {

constexpr const char* kMade = "path: ds, make: {preset: cifar10-like, count: 16}";

class BadInput : public Workspace {
 protected:
  Finished refused(std::string_view config, std::string_view options = "") const {
    write("s.yaml", config);
    const Finished done = feedrate(fmt::format("sweep s.yaml --out results {}", options));
    EXPECT_EQ(done.exit_code, 2);
    EXPECT_THAT(done.out, IsEmpty());
    EXPECT_THAT(listing(), ElementsAre("s.yaml"));
    return done;
  }
};

TEST_F(BadInput, a_missing_configuration_is_named) {
  const Finished done = feedrate("sweep nowhere.yaml --out results");
  EXPECT_EQ(done.exit_code, 2);
  EXPECT_THAT(done.err, AllOf(HasSubstr("nowhere.yaml: cannot open: No such file"),
                              HasSubstr("`feedrate config` lists examples")));
  EXPECT_THAT(listing(), IsEmpty());
}

TEST_F(BadInput, a_folder_is_no_configuration) {
  const Finished done = feedrate("plan .");
  EXPECT_EQ(done.exit_code, 2);
  EXPECT_THAT(done.err, HasSubstr(".: cannot read: Is a directory"));
}

TEST_F(BadInput, a_fifo_is_refused_without_waiting) {
  ASSERT_EQ(::mkfifo(path("fifo").c_str(), 0600), 0);
  const Finished done = feedrate("plan fifo");
  EXPECT_EQ(done.exit_code, 2);
  EXPECT_THAT(done.err, HasSubstr("fifo: is not a regular file"));
}

TEST_F(BadInput, a_configuration_that_is_not_utf8_is_refused) {
  const std::string config = sweep_config(kMade);
  std::string utf16;
  for (const char c : config) utf16 += {c, '\0'};
  for (const std::string& text : {"\xFF\xFE" + utf16, utf16, sweep_config("path: 'caf\xE9'")}) {
    EXPECT_THAT(refused(text).err, HasSubstr("s.yaml: name or contents are not valid UTF-8"));
  }
  EXPECT_THAT(refused(config, "--axis format=caf\xE9").err, HasSubstr("not valid UTF-8"));
  write("caf\xE9.yaml", config);
  const Finished named = feedrate("plan caf\xE9.yaml");
  EXPECT_EQ(named.exit_code, 2);
  EXPECT_THAT(named.err, HasSubstr("not valid UTF-8"));
}

TEST_F(BadInput, a_configuration_of_many_megabytes_is_refused) {
  std::ofstream(path("s.yaml")).close();
  std::filesystem::resize_file(path("s.yaml"), std::uintmax_t{100} << 30);
  const Finished done = feedrate("plan s.yaml");
  EXPECT_EQ(done.exit_code, 2);
  EXPECT_THAT(done.err, HasSubstr("s.yaml: is larger than"));
}

TEST_F(BadInput, an_unknown_key_is_named_with_its_line_and_a_proposal) {
  const Finished done = refused(sweep_config(kMade, "num_worker: 1"));
  EXPECT_THAT(done.err, AllOf(HasSubstr("s.yaml:3: loader.num_worker: unknown key"),
                              HasSubstr("did you mean num_workers?")));
}

TEST_F(BadInput, a_value_of_the_wrong_type_is_named) {
  const Finished done = refused(sweep_config(kMade, "batch_size: many"));
  EXPECT_THAT(done.err, HasSubstr("s.yaml:3: loader.batch_size: 'many' is not a whole number"));
}

TEST_F(BadInput, a_negative_number_of_workers_is_out_of_range) {
  const Finished done = refused(sweep_config(kMade, "num_workers: [0, -1]"));
  EXPECT_THAT(done.err, AllOf(HasSubstr("s.yaml:3: loader.num_workers: -1 is out of range"),
                              HasSubstr("between 0 and ")));
}

TEST_F(BadInput, an_unknown_format_lists_the_known_ones) {
  const Finished done = refused(sweep_config(std::string(kMade) + ", format: [folder, rar]"));
  EXPECT_THAT(done.err, AllOf(HasSubstr("s.yaml:2: dataset.format"), HasSubstr("lmdb")));
}

TEST_F(BadInput, broken_yaml_is_named_with_its_line) {
  const Finished done = refused("# Why?\ndataset: {path: ds\n");
  EXPECT_THAT(done.err, AllOf(HasSubstr("s.yaml:3:"), HasSubstr("not valid YAML")));
}

TEST_F(BadInput, an_unknown_preset_is_refused_before_anything_is_made) {
  const Finished done = refused(sweep_config("path: ds, make: {preset: cifar11-like, count: 16}"));
  EXPECT_THAT(done.err, AllOf(HasSubstr("s.yaml:2: dataset.make.preset"),
                              HasSubstr("cifar10-like, imagenet-like")));
}

TEST_F(BadInput, a_dataset_that_is_not_there_is_named_with_the_command_that_makes_one) {
  const Finished done = refused(sweep_config("path: nothing"));
  EXPECT_THAT(done.err, AllOf(HasSubstr("nothing: no such dataset"),
                              HasSubstr("feedrate data make nothing")));
}

TEST_F(BadInput, a_file_that_is_no_dataset_lists_the_known_formats) {
  write("s.yaml", sweep_config("path: letter"));
  write("letter", "hello");
  const Finished done = feedrate("sweep s.yaml --out results");
  EXPECT_EQ(done.exit_code, 2);
  EXPECT_THAT(done.err, AllOf(HasSubstr("letter: unknown dataset format"), HasSubstr("lmdb")));
  EXPECT_THAT(listing(), ElementsAre("letter", "s.yaml"));
}

TEST_F(BadInput, an_axis_that_is_no_assignment_is_refused) {
  const Finished done = refused(sweep_config(kMade), "--axis nonsense");
  EXPECT_THAT(done.err, AllOf(HasSubstr("--axis nonsense"), HasSubstr("NAME=VALUE")));
}

TEST_F(BadInput, a_line_that_is_indented_otherwise_is_named_with_its_column) {
  EXPECT_THAT(refused("dataset:\n  path: ds\n format: tar\n").err,
              AllOf(HasSubstr("s.yaml:3:2: not valid YAML"), HasSubstr("indent this line as")));
  EXPECT_THAT(refused("dataset:\n  path: ds\n   format: tar\n").err,
              AllOf(HasSubstr("s.yaml:3:"), HasSubstr("indent this line as")));
}

TEST_F(BadInput, an_axis_of_a_misspelt_knob_or_device_names_the_nearest) {
  EXPECT_THAT(refused(sweep_config(kMade), "--axis num_workres=1").err,
              HasSubstr("num_workres: unknown knob; did you mean num_workers?"));
  EXPECT_THAT(refused(sweep_config(kMade), "--axis device=sim:a100").err,
              HasSubstr("sim:a100: unknown simulated device; did you mean sim:a100-pcie4?"));
}

TEST_F(BadInput, an_axis_of_an_unknown_knob_lists_the_knobs) {
  const Finished done = refused(sweep_config(kMade), "--axis zebra=1");
  EXPECT_THAT(done.err,
              AllOf(HasSubstr("--axis zebra=1: zebra: unknown knob"), HasSubstr("num_workers")));
}

TEST_F(BadInput, an_axis_without_a_value_is_refused) {
  const Finished done = refused(sweep_config(kMade), "--axis num_workers=");
  EXPECT_THAT(done.err, HasSubstr("--axis num_workers="));
}

TEST_F(BadInput, only_values_that_no_cell_has_are_refused) {
  const Finished done = refused(sweep_config(kMade), "--only num_workers=7");
  EXPECT_THAT(done.err, HasSubstr("--only: no cell of the plan has these values"));
}

TEST_F(BadInput, an_unknown_device_lists_the_known_ones) {
  const Finished done = refused(sweep_config(kMade), "--device sim:zebra");
  EXPECT_THAT(done.err, AllOf(HasSubstr("sim:zebra"), HasSubstr("a100-pcie4")));
}

TEST_F(BadInput, a_dataset_cannot_be_made_below_a_file) {
  write("file", "");
  write("s.yaml", sweep_config("path: file/ds, make: {preset: cifar10-like, count: 16}"));
  const Finished done = feedrate("sweep s.yaml --out results");
  EXPECT_EQ(done.exit_code, 2);
  EXPECT_THAT(done.err, AllOf(HasSubstr("file"), HasSubstr("dataset.path")));
}

class BadOutput : public Workspace {
 protected:
  Finished refused(std::string_view out) const {
    write("s.yaml", sweep_config(kMade));
    const Finished done = feedrate(fmt::format("sweep s.yaml --out {}", out));
    EXPECT_EQ(done.exit_code, 2);
    EXPECT_FALSE(exists("ds"));
    EXPECT_THAT(done.err, AllOf(HasSubstr(out), HasSubstr("--out")));
    return done;
  }
};

TEST_F(BadOutput, a_file_in_its_place_is_refused_and_kept) {
  write("results", "precious");
  static_cast<void>(refused("results"));
  EXPECT_EQ(read("results"), "precious");
}

TEST_F(BadOutput, a_folder_below_a_file_is_refused) {
  write("results", "precious");
  static_cast<void>(refused("results/today"));
}

TEST_F(BadOutput, a_folder_where_nothing_can_be_created_is_refused) {
  static_cast<void>(refused("/proc/feedrate"));
}

TEST_F(BadOutput, a_folder_in_the_place_of_a_result_is_refused) {
  write("results/run.json/file", "precious");
  static_cast<void>(refused("results"));
  EXPECT_EQ(read("results/run.json/file"), "precious");
}

}  // namespace
}  // namespace feedrate::testing
