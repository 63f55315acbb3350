// SPDX-License-Identifier: Apache-2.0
#include "bench/engines/torch/runtime.h"

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/engines/torch/fork_server.h"
#include "core/error.h"
#include "tests/support/fake_python.h"
#include "tests/support/fake_torch.h"
#include "tests/support/message_of.h"

namespace feedrate {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using testing::FakePython;
using testing::FakeTorch;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Pair;

EnvironmentLookup environment(std::map<std::string, std::string> variables) {
  return [variables = std::move(variables)](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  };
}

std::string refusal(const EnvironmentLookup& lookup, Nanos patience = std::chrono::minutes(1),
                    const TorchNeeds& needs = {}) {
  return testing::message_of<ConfigError>([&] { return find_torch(needs, patience, {}, lookup); });
}

TEST(TorchRuntime, uses_only_the_python_of_the_variable) {
  const FakePython wanted("exit 0"), other("exit 0");
  EXPECT_THAT(python_candidates(environment({{"FEEDRATE_PYTHON", wanted.path().string()},
                                             {"VIRTUAL_ENV", "/venv"},
                                             {"PATH", other.folder().string()}})),
              ElementsAre(wanted.path()));
}

TEST(TorchRuntime, a_chosen_name_without_a_slash_is_looked_up_in_the_path) {
  const FakePython python("exit 0");
  const std::string folder = python.folder().string();
  EXPECT_THAT(python_candidates(environment(
                  {{"FEEDRATE_PYTHON", "python3"}, {"PATH", "/nonexistent:" + folder}})),
              ElementsAre(python.path()));
  EXPECT_THAT(
      python_candidates(environment({{"FEEDRATE_PYTHON", "bin/python3"}, {"PATH", folder}})),
      ElementsAre(std::filesystem::absolute("bin/python3")));
}

TEST(TorchRuntime, looks_in_the_active_environment_before_the_path) {
  const FakePython on_path("exit 0");
  const testing::TempFolder venv;
  std::filesystem::create_directories(venv / "bin");
  std::filesystem::copy(on_path.path(), venv / "bin/python3");
  const auto candidates = python_candidates(
      environment({{"VIRTUAL_ENV", venv.path().string()},
                   {"CONDA_PREFIX", "/nonexistent"},
                   {"PATH", "relative::/nonexistent:" + on_path.folder().string()}}));
  ASSERT_GE(candidates.size(), 2U);
  EXPECT_EQ(candidates[0], venv / "bin/python3");
  EXPECT_EQ(candidates[1], on_path.path());
}

TEST(TorchRuntime, looks_first_in_the_environment_of_feedrate_if_it_has_torch) {
  const testing::TempFolder venv;
  std::filesystem::create_directories(venv / "bin");
  std::filesystem::create_directories(venv / "lib/python3.12/site-packages");
  const FakePython on_path("exit 0");
  std::filesystem::copy(on_path.path(), venv / "bin/python3");
  const EnvironmentLookup lookup = environment({{"PATH", on_path.folder().string()}});
  EXPECT_EQ(python_candidates(lookup, venv / "bin/feedrate").front(), on_path.path())
      << "as pipx has it: in an environment of its own";
  testing::write_file(venv / "pyvenv.cfg",
                      "home = /usr/bin\ninclude-system-site-packages = true\n");
  EXPECT_EQ(python_candidates(lookup, venv / "bin/feedrate").front(), venv / "bin/python3");
  testing::write_file(venv / "pyvenv.cfg", "include-system-site-packages = false\n");
  EXPECT_EQ(python_candidates(lookup, venv / "bin/feedrate").front(), on_path.path());
  std::filesystem::create_directories(venv / "lib/python3.12/site-packages/torch");
  EXPECT_EQ(python_candidates(lookup, venv / "bin/feedrate").front(), venv / "bin/python3");
}

class TorchRuntimeOf : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!FakeTorch::is_possible()) GTEST_SKIP() << "there is no " << FakeTorch::kPython;
    torch_.add("PIL", "__version__ = '9.4'");
  }

  static TorchRuntime find(const TorchNeeds& needs) {
    return find_torch(needs, std::chrono::minutes(1), {},
                      environment({{"FEEDRATE_PYTHON", FakeTorch::kPython}}));
  }

  FakeTorch torch_;
};

TEST_F(TorchRuntimeOf, a_python_reports_its_versions_and_its_start_method) {
  torch_.add("PIL",
             "import multiprocessing\n"
             "multiprocessing.set_start_method('spawn', force=True)\n"
             "__version__ = '9.4'");
  const TorchRuntime runtime = find({.modules = {{"PIL", "pillow"}}});
  EXPECT_EQ(runtime.interpreter, FakeTorch::kPython);
  EXPECT_THAT(runtime.versions, MatchesRegex("torch 9\\.9, Python 3[0-9.]+, Pillow 9\\.4"));
  EXPECT_EQ(runtime.start_method, "spawn");
}

TEST_F(TorchRuntimeOf, a_python_imports_existing_modules_and_reports_missing_ones) {
  torch_.add("lmdb", "raise ImportError('no lmdb')");
  const TorchRuntime runtime =
      find({.modules = {{"PIL", "pillow"}}, .format_modules = {{"lmdb", "lmdb"}}});
  EXPECT_THAT(runtime.modules, ElementsAre("PIL"));
  EXPECT_THAT(runtime.missing, ElementsAre(Pair("lmdb",
                                                "/usr/bin/python3 cannot import lmdb: no lmdb; "
                                                "/usr/bin/python3 -m pip install lmdb")));
}

TEST_F(TorchRuntimeOf, a_python_imports_modules_once_for_all_cells) {
  const std::filesystem::path imported = torch_.folder() / "imports";
  torch_.add("PIL", fmt::format("open('{}', 'a').write('x')", imported.string()));
  const TorchRuntime runtime = find({.modules = {{"PIL", "pillow"}}});
  Conversation child(runtime.server->fork({}),
                     torch_probe({.modules = {{"PIL", "pillow"}}}, runtime.server->process()), {});
  while (!std::holds_alternative<TorchProbed>(child.next())) {
  }
  EXPECT_EQ(testing::read_file(imported), "x");
}

TEST_F(TorchRuntimeOf, the_package_exists_as_long_as_the_runtime) {
  std::filesystem::path script;
  {
    const TorchRuntime runtime = find({});
    script = runtime.program().at(1);
    EXPECT_TRUE(std::filesystem::exists(script));
    EXPECT_TRUE(std::filesystem::exists(script.parent_path() / "feedrate/child.py"));
    EXPECT_EQ(std::filesystem::status(script.parent_path()).permissions(),
              std::filesystem::perms::owner_all);
  }
  EXPECT_FALSE(std::filesystem::exists(script.parent_path()));
}

TEST_F(TorchRuntimeOf, a_module_missing_besides_torch_is_not_searched_in_other_pythons) {
  EXPECT_EQ(refusal(environment({{"FEEDRATE_PYTHON", FakeTorch::kPython}}), std::chrono::minutes(1),
                    {.modules = {{"not_there", "some"}}}),
            "engine torch: /usr/bin/python3 cannot import not_there: No module named 'not_there'; "
            "/usr/bin/python3 -m pip install some");
}

TEST(TorchRuntime, without_torch_the_error_lists_the_candidates_and_the_fix) {
  const FakePython python("echo \"No module named 'torch'\" >&2; exit 1");
  EXPECT_THAT(refusal(environment({{"FEEDRATE_PYTHON", python.path().string()}})),
              AllOf(HasSubstr("engine torch: no Python that can import torch"),
                    HasSubstr("pip install torch"), HasSubstr("FEEDRATE_PYTHON"),
                    HasSubstr(python.path().string()), HasSubstr("No module named 'torch'")));
}

TEST(TorchRuntime, a_missing_python_is_named) {
  EXPECT_THAT(refusal(environment({{"FEEDRATE_PYTHON", "/nonexistent/python3"}})),
              HasSubstr("/nonexistent/python3: cannot be started: No such file"));
}

TEST(TorchRuntime, a_python_that_hangs_times_out) {
  const FakePython python("sleep 1000");
  EXPECT_THAT(refusal(environment({{"FEEDRATE_PYTHON", python.path().string()}}),
                      std::chrono::milliseconds(1)),
              HasSubstr("did not answer within"));
}

}  // namespace
}  // namespace feedrate
