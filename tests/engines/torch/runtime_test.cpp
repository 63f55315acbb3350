// SPDX-License-Identifier: Apache-2.0
#include "engines/torch/runtime.h"

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "tests/support/fake_python.h"

namespace feedrate {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using testing::FakePython;
using ::testing::HasSubstr;
using ::testing::Pair;

constexpr const char* kTorch =
    R"(job; say '{"event":"hello","python":"3.9.1","torch":"2.3"}';
say '{"event":"probed","modules":{"PIL":"9.4"},"missing":{"lmdb":"no lmdb"},"start_method":"forkserver"}'; sleep 1000)";

EnvironmentLookup environment(std::map<std::string, std::string> variables) {
  return [variables = std::move(variables)](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  };
}

std::string refusal(const EnvironmentLookup& lookup, Nanos patience = std::chrono::minutes(1)) {
  try {
    static_cast<void>(find_torch({}, patience, {}, lookup));
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "found one";
}

TEST(TorchRuntime, takes_the_python_that_it_is_told_and_no_other) {
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

TEST(TorchRuntime, reports_the_versions_of_what_it_found) {
  const FakePython python(kTorch);
  const TorchRuntime runtime = find_torch(
      {}, std::chrono::minutes(1), {}, environment({{"FEEDRATE_PYTHON", python.path().string()}}));
  EXPECT_EQ(runtime.interpreter, python.path());
  EXPECT_EQ(runtime.versions, "torch 2.3, Python 3.9.1, Pillow 9.4");
  EXPECT_EQ(runtime.start_method, "forkserver");
}

TEST(TorchRuntime, imports_what_is_there_and_knows_what_is_missing) {
  const FakePython python(kTorch);
  const TorchRuntime runtime = find_torch(
      {}, std::chrono::minutes(1), {}, environment({{"FEEDRATE_PYTHON", python.path().string()}}));
  EXPECT_THAT(runtime.modules, ElementsAre("PIL"));
  EXPECT_THAT(runtime.missing, ElementsAre(Pair("lmdb", "no lmdb")));
}

TEST(TorchRuntime, the_package_is_unpacked_for_as_long_as_it_is_needed) {
  const FakePython python(kTorch);
  std::filesystem::path script;
  {
    const TorchRuntime runtime =
        find_torch({}, std::chrono::minutes(1), {},
                   environment({{"FEEDRATE_PYTHON", python.path().string()}}));
    script = runtime.program().at(1);
    EXPECT_TRUE(std::filesystem::exists(script));
    EXPECT_TRUE(std::filesystem::exists(script.parent_path() / "feedrate/child.py"));
    EXPECT_EQ(std::filesystem::status(script.parent_path()).permissions(),
              std::filesystem::perms::owner_all);
  }
  EXPECT_FALSE(std::filesystem::exists(script.parent_path()));
}

TEST(TorchRuntime, without_torch_the_error_names_what_was_tried_and_the_cure) {
  const FakePython python("echo \"No module named 'torch'\" >&2; exit 1");
  EXPECT_THAT(refusal(environment({{"FEEDRATE_PYTHON", python.path().string()}})),
              AllOf(HasSubstr("engine torch: no Python that can import torch"),
                    HasSubstr("pip install torch"), HasSubstr("FEEDRATE_PYTHON"),
                    HasSubstr(python.path().string()), HasSubstr("No module named 'torch'")));
}

TEST(TorchRuntime, a_python_that_is_not_there_is_named) {
  EXPECT_THAT(refusal(environment({{"FEEDRATE_PYTHON", "/nonexistent/python3"}})),
              HasSubstr("/nonexistent/python3: cannot be started: No such file"));
}

TEST(TorchRuntime, a_python_that_hangs_is_given_up) {
  const FakePython python("sleep 1000");
  EXPECT_THAT(refusal(environment({{"FEEDRATE_PYTHON", python.path().string()}}),
                      std::chrono::milliseconds(1)),
              HasSubstr("did not answer within"));
}

TEST(TorchRuntime, what_is_missing_beside_torch_is_not_looked_for_elsewhere) {
  const FakePython python(
      R"(job; say '{"event":"hello","python":"3","torch":"2"}';
say '{"event":"error","mistake":true,"headline":"cannot import PIL; pip install pillow","traceback":""}')");
  EXPECT_EQ(refusal(environment({{"FEEDRATE_PYTHON", python.path().string()}})),
            "engine torch: cannot import PIL; pip install pillow");
}

}  // namespace
}  // namespace feedrate
