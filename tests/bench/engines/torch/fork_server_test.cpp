// SPDX-License-Identifier: Apache-2.0
#include "bench/engines/torch/fork_server.h"

#include <csignal>
#include <fstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/engines/torch/python_package.h"
#include "core/error.h"
#include "tests/support/fake_torch.h"
#include "tests/support/message_of.h"

namespace feedrate {
namespace {

using testing::FakeTorch;
using ::testing::HasSubstr;

class TorchForkServer : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!FakeTorch::is_possible()) GTEST_SKIP() << "there is no " << FakeTorch::kPython;
    torch_.add("endless", "import time\nwhile True: time.sleep(0.01)");
  }

  [[nodiscard]] ForkServer serve(const std::vector<std::string>& modules = {}) const {
    return {{FakeTorch::kPython, package_.script().string()}, modules};
  }

  static std::string probe(pid_t parent, const std::string& modules = "{}") {
    return fmt::format(R"({{"parent":{},"probe":{{"modules":{},"cuda":false,"own":null}}}})",
                       parent, modules);
  }

  static std::unique_ptr<Conversation> hanging(ForkServer& server) {
    auto child = std::make_unique<Conversation>(
        server.fork({}), probe(server.process(), R"({"endless":"endless"})"), std::stop_token());
    EXPECT_TRUE(std::holds_alternative<TorchHello>(child->next()));
    return child;
  }

  static bool exists(pid_t process) { return ::kill(process, 0) == 0; }

  FakeTorch torch_;
  PythonPackage package_;
};

TEST_F(TorchForkServer, forks_children_that_do_their_jobs) {
  ForkServer server = serve();
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
  const std::filesystem::path imported = torch_.folder() / "imports";
  torch_.add("costly", fmt::format("open('{}', 'a').write('x')", imported.string()));
  ForkServer server = serve({"costly"});
  for (int i = 0; i < 3; ++i) {
    Conversation child(server.fork({}), probe(server.process(), R"({"costly":"costly"})"), {});
    while (!std::holds_alternative<TorchProbed>(child.next())) {
    }
  }
  std::string imports;
  std::ifstream(imported) >> imports;
  EXPECT_EQ(imports, "x");
}

TEST_F(TorchForkServer, a_child_that_is_left_early_is_killed) {
  ForkServer server = serve();
  pid_t process = 0;
  {
    const auto child = hanging(server);
    process = child->process();
    EXPECT_TRUE(exists(process));
  }
  EXPECT_FALSE(exists(process));
  EXPECT_TRUE(server.is_usable());
}

std::string end_of(Conversation& child) {
  return testing::message_of([&] {
    for (;;) static_cast<void>(child.next());
  });
}

TEST_F(TorchForkServer, the_end_of_a_child_is_described_as_that_of_any_other) {
  ForkServer server = serve();
  const auto child = hanging(server);
  ::kill(child->process(), SIGKILL);
  EXPECT_THAT(end_of(*child), HasSubstr("was killed by SIGKILL"));
}

TEST_F(TorchForkServer, children_end_with_a_server_that_is_killed) {
  ForkServer server = serve();
  const auto child = hanging(server);
  ::kill(server.process(), SIGKILL);
  EXPECT_NE(end_of(*child), "");
  EXPECT_THROW(static_cast<void>(server.fork({})), Error);
  EXPECT_FALSE(server.is_usable());
}

TEST_F(TorchForkServer, ignores_a_missing_module_that_a_child_then_reports) {
  ForkServer server = serve({"no_such_module"});
  Conversation child(server.fork({}), probe(server.process(), R"({"no_such_module":"some"})"), {});
  EXPECT_THAT(end_of(child), HasSubstr("cannot import no_such_module"));
}

TEST_F(TorchForkServer, stops_importing_when_it_is_stopped_and_is_not_usable_then) {
  std::stop_source stop;
  stop.request_stop();
  ForkServer server = serve({"endless"});
  EXPECT_TRUE(server.is_usable());
  EXPECT_THROW(static_cast<void>(server.fork(stop.get_token())), Cancelled);
  EXPECT_FALSE(server.is_usable());
}

}  // namespace
}  // namespace feedrate
