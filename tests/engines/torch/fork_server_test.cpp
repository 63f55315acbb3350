// SPDX-License-Identifier: Apache-2.0
#include "engines/torch/fork_server.h"

#include <csignal>
#include <fstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "core/error.h"
#include "tests/support/scoped_variable.h"
#include "tests/support/temp_folder.h"

namespace feedrate {
namespace {

using ::testing::HasSubstr;
using testing::ScopedVariable;
using testing::TempFolder;
using testing::write_file;

constexpr const char* kPython = "/usr/bin/python3";

// A real Python and feedrate's own side of it, with a module in the place of torch.
class TorchForkServer : public ::testing::Test {
 protected:
  void SetUp() override {
    if (::access(kPython, X_OK) != 0) GTEST_SKIP() << "there is no " << kPython;
    std::filesystem::create_directories(folder_ / "torch/utils/data");
    write_file(folder_ / "torch/__init__.py", "__version__ = '9.9'\n");
    write_file(folder_ / "torch/utils/__init__.py", "");
    write_file(folder_ / "torch/utils/data/__init__.py", "");
    write_file(folder_ / "endless.py", "import time\nwhile True: time.sleep(0.01)\n");
    runtime_.package = std::make_shared<const PythonPackage>();
    runtime_.interpreter = kPython;
  }

  static std::string probe(pid_t parent, const std::string& modules = "{}") {
    return fmt::format(R"({{"parent":{},"probe":{{"modules":{},"cuda":false,"own":null}}}})",
                       parent, modules);
  }

  // It has begun an import that does not end.
  static std::unique_ptr<Conversation> hanging(ForkServer& server) {
    auto child = std::make_unique<Conversation>(
        server.fork({}), probe(server.process(), R"({"endless":"endless"})"), std::stop_token());
    EXPECT_TRUE(std::holds_alternative<TorchHello>(child->next()));
    return child;
  }

  static bool exists(pid_t process) { return ::kill(process, 0) == 0; }

  TempFolder folder_;
  ScopedVariable path_{"PYTHONPATH", folder_.path().c_str()};
  TorchRuntime runtime_;
};

TEST_F(TorchForkServer, forks_children_that_do_their_jobs) {
  ForkServer server(runtime_);
  pid_t first = 0;
  for (int i = 0; i < 2; ++i) {
    Conversation child(server.fork({}), probe(server.process()), {});
    EXPECT_NE(child.process(), server.process());
    EXPECT_NE(child.process(), first);
    EXPECT_EQ(::getpgid(child.process()), child.process());
    first = child.process();
    EXPECT_EQ(std::get<TorchHello>(child.next()).torch, "9.9");
    EXPECT_TRUE(std::holds_alternative<TorchProbed>(child.next()));
  }
}

TEST_F(TorchForkServer, imports_what_cells_need_once) {
  write_file(folder_ / "costly.py",
             fmt::format("open('{}', 'a').write('x')\n", (folder_ / "imports").string()));
  runtime_.modules = {"costly"};
  ForkServer server(runtime_);
  for (int i = 0; i < 3; ++i) {
    Conversation child(server.fork({}), probe(server.process(), R"({"costly":"costly"})"), {});
    while (!std::holds_alternative<TorchProbed>(child.next())) {
    }
  }
  std::string imports;
  std::ifstream(folder_ / "imports") >> imports;
  EXPECT_EQ(imports, "x");
}

TEST_F(TorchForkServer, a_child_that_is_left_early_is_gone) {
  ForkServer server(runtime_);
  pid_t process = 0;
  {
    const auto child = hanging(server);
    process = child->process();
    EXPECT_TRUE(exists(process));
  }
  EXPECT_FALSE(exists(process));
  EXPECT_FALSE(server.has_ended());
}

TEST_F(TorchForkServer, how_a_child_ended_is_told_as_of_any_other) {
  ForkServer server(runtime_);
  const auto child = hanging(server);
  ::kill(child->process(), SIGKILL);
  try {
    for (;;) static_cast<void>(child->next());
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("was killed by signal 9"));
  }
}

TEST_F(TorchForkServer, children_end_with_a_server_that_is_killed) {
  ForkServer server(runtime_);
  const auto child = hanging(server);
  ::kill(server.process(), SIGKILL);
  EXPECT_THROW(for (;;) static_cast<void>(child->next()), Error);
  EXPECT_THROW(static_cast<void>(server.fork({})), Error);
  EXPECT_TRUE(server.has_ended());
}

TEST_F(TorchForkServer, a_module_that_is_missing_is_told) {
  runtime_.modules = {"no_such_module"};
  try {
    ForkServer server(runtime_);
    static_cast<void>(server.fork({}));
    FAIL() << "nothing thrown";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("no_such_module"));
  }
}

TEST_F(TorchForkServer, gives_up_importing_when_it_is_stopped) {
  runtime_.modules = {"endless"};
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW(static_cast<void>(ForkServer(runtime_).fork(stop.get_token())), Cancelled);
}

}  // namespace
}  // namespace feedrate
