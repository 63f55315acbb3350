// SPDX-License-Identifier: Apache-2.0
// Wrong configurations and paths are refused by name before anything is made or measured. The tests
// of configurations, axes and YAML have the messages.
#include <fstream>

#include <sys/stat.h>

#include "tests/program/workspace.h"

namespace feedrate::testing {
namespace {

constexpr const char* kMade = "path: ds, make: {preset: cifar10-like, count: 16}";

class BadInput : public Workspace {
 protected:
  /// A sweep of `config` with `options` makes nothing.
  void refuses_sweep(std::string_view config, std::initializer_list<std::string> parts,
                     std::string_view options = "") const {
    write("s.yaml", config);
    const Finished done = refuses(fmt::format("sweep s.yaml --out results {}", options), parts);
    EXPECT_THAT(done.out, IsEmpty());
    EXPECT_THAT(listing(), Not(AnyOf(Contains("ds"), Contains("results"))));
  }
};

TEST_F(BadInput, a_configuration_must_be_a_regular_file_of_text) {
  refuses("sweep nowhere.yaml --out results",
          {"nowhere.yaml: cannot open: No such file", "`feedrate config` lists examples"});
  EXPECT_THAT(listing(), IsEmpty());
  refuses("plan .", {".: cannot read: Is a directory"});
  ASSERT_EQ(::mkfifo(path("fifo").c_str(), 0600), 0);
  refuses("plan fifo", {"fifo: is not a regular file"});
  std::ofstream(path("s.yaml")).close();
  std::filesystem::resize_file(path("s.yaml"), std::uintmax_t{100} << 30);
  refuses("plan s.yaml", {"s.yaml: is larger than"});
}

TEST_F(BadInput, a_configuration_that_is_not_utf8_is_refused) {
  const std::string config = sweep_config(kMade);
  std::string utf16;
  for (const char c : config) utf16 += {c, '\0'};
  for (const std::string& text : {"\xFF\xFE" + utf16, utf16, sweep_config("path: 'caf\xE9'")}) {
    refuses_sweep(text, {"s.yaml: name or contents are not valid UTF-8"});
  }
  refuses_sweep(config, {"not valid UTF-8"}, "--axis format=caf\xE9");
  write("caf\xE9.yaml", config);
  refuses("plan caf\xE9.yaml", {"not valid UTF-8"});
}

TEST_F(BadInput, a_mistake_in_the_configuration_is_named_with_its_place_and_cure) {
  refuses_sweep(sweep_config(kMade, "num_worker: 1"),
                {"s.yaml:3: loader.num_worker: unknown key", "did you mean num_workers?"});
  refuses_sweep("# Why?\ndataset: {path: ds\n", {"s.yaml:3:", "not valid YAML"});
  for (const char* text :
       {"dataset:\n  path: ds\n format: tar\n", "dataset:\n  path: ds\n   format: tar\n"}) {
    refuses_sweep(text, {"s.yaml:3:", "indent this line as"});
  }
  refuses_sweep(sweep_config("path: ds, make: {preset: cifar11-like, count: 16}"),
                {"s.yaml:2: dataset.make.preset", "cifar10-like, imagenet-like"});
}

TEST_F(BadInput, a_dataset_that_cannot_be_opened_or_made_is_named) {
  refuses_sweep(sweep_config("path: nothing"),
                {"nothing: no such dataset", "feedrate data make nothing"});
  write("letter", "hello");
  refuses_sweep(sweep_config("path: letter"), {"letter: unknown dataset format", "lmdb"});
  write("s.yaml", sweep_config("path: letter/ds, make: {preset: cifar10-like, count: 16}"));
  refuses("sweep s.yaml --out results", {"letter", "dataset.path"});
}

TEST_F(BadInput, a_mistake_on_the_command_line_is_named_with_its_option) {
  const std::string config = sweep_config(kMade);
  refuses_sweep(config, {"--axis nonsense", "NAME=VALUE"}, "--axis nonsense");
  refuses_sweep(config, {"--axis zebra=1: zebra: unknown knob", "num_workers"}, "--axis zebra=1");
  refuses_sweep(config, {"num_workres: unknown knob; did you mean num_workers?"},
                "--axis num_workres=1");
  refuses_sweep(config, {"--axis num_workers="}, "--axis num_workers=");
  refuses_sweep(config, {"--only: no cell of the plan has these values"}, "--only num_workers=7");
  refuses_sweep(config, {"sim:zebra", "a100-pcie4"}, "--device sim:zebra");
  refuses_sweep(config, {"sim:a100: unknown simulated device; did you mean sim:a100-pcie4?"},
                "--axis device=sim:a100");
}

TEST_F(BadInput, a_folder_of_results_that_cannot_be_made_is_refused) {
  const auto refuses_out = [&](const std::string& out) {
    write("s.yaml", sweep_config(kMade));
    refuses("sweep s.yaml --out " + out, {out, "--out"});
    EXPECT_FALSE(exists("ds"));
  };
  write("results", "precious");
  for (const char* out : {"results", "results/today", "/proc/feedrate"}) refuses_out(out);
  EXPECT_EQ(read("results"), "precious");
  write("other/run.json/file", "precious");
  refuses_out("other");
  EXPECT_EQ(read("other/run.json/file"), "precious");
}

}  // namespace
}  // namespace feedrate::testing
