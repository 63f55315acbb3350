// SPDX-License-Identifier: Apache-2.0
// Completion and help are generated from the options that the program parses.
#include <array>
#include <cstdio>
#include <sstream>

#include <sys/wait.h>

#include "tests/program/workspace.h"
#include "tests/support/golden.h"

namespace feedrate::testing {
namespace {

struct ShellOutput {
  int exit_code = -1;
  std::string text;
};

// `script` must not contain a single quote.
ShellOutput run_bash(const std::string& script) {
  const std::string line = fmt::format("bash -c '{}' 2>&1", script);
  std::unique_ptr<FILE, int (*)(FILE*)> pipe(::popen(line.c_str(), "r"), &::pclose);
  if (!pipe) return {};
  ShellOutput output;
  std::array<char, 4096> buffer{};
  while (const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), pipe.get())) {
    output.text.append(buffer.data(), got);
  }
  const int status = ::pclose(pipe.release());
  output.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return output;
}

class BashCompletion : public Workspace {
 protected:
  void SetUp() override {
    if (run_bash("true").exit_code != 0) GTEST_SKIP() << "there is no bash";
    write("feedrate.bash", feedrate("completion bash").out);
  }

  // The completions of bash for the last of `words`, which omit the program's name.
  [[nodiscard]] std::vector<std::string> offered(const std::string& words) const {
    const ShellOutput shell = run_bash(
        fmt::format("set -u; source {}; COMP_WORDS=(feedrate {}); "
                    "COMP_CWORD=$(( ${{#COMP_WORDS[@]}} - 1 )); _feedrate; "
                    "(( ${{#COMPREPLY[@]}} == 0 )) || printf \"%s\\n\" \"${{COMPREPLY[@]}}\"",
                    path("feedrate.bash").string(), words));
    EXPECT_EQ(shell.exit_code, 0) << shell.text;
    std::vector<std::string> lines;
    std::istringstream text(shell.text);
    for (std::string one; std::getline(text, one);) lines.push_back(one);
    return lines;
  }
};

TEST_F(BashCompletion, offers_the_commands) {
  EXPECT_THAT(offered("\"\""), IsSupersetOf({"sweep", "plan", "compare", "data", "completion"}));
  EXPECT_THAT(offered("comp"), ElementsAre("compare", "completion"));
}

TEST_F(BashCompletion, offers_the_commands_of_a_command) {
  EXPECT_THAT(offered("data \"\""), ElementsAre("make", "convert", "info", "verify"));
}

TEST_F(BashCompletion, offers_the_options_of_the_command_that_was_named) {
  EXPECT_THAT(offered("sweep s.yaml --re"), ElementsAre("--repeats", "--resume", "--retry-failed"));
  EXPECT_THAT(offered("data make x --c"),
              ElementsAre("--chunk", "--codec", "--count", "--classes"));
  EXPECT_THAT(offered("data make x --re"), ElementsAre("--record-bytes", "--record-bytes-stdev"));
}

TEST_F(BashCompletion, offers_the_values_that_an_option_knows) {
  EXPECT_THAT(offered("sweep --device sim:a"), Contains("sim:a100-pcie4"));
  EXPECT_THAT(offered("data convert --format hdf5-c"), Contains("hdf5-contiguous"));
  EXPECT_THAT(offered("sweep --axis num_"), ElementsAre("num_workers="));
  EXPECT_THAT(offered("completion \"\""), ElementsAre("bash"));
}

TEST_F(BashCompletion, offers_every_knob) {
  const std::vector<std::string> names = offered("sweep --axis \"\"");
  std::istringstream help(feedrate("help knobs").out);
  std::string line;
  std::getline(help, line);
  while (std::getline(help, line)) {
    std::string name;
    std::istringstream(line) >> name;
    EXPECT_THAT(names, Contains(name + "="));
  }
}

TEST_F(BashCompletion, leaves_files_to_bash) {
  EXPECT_THAT(offered("sweep conf"), IsEmpty());
  EXPECT_THAT(offered("sweep --out fo"), IsEmpty());
  const ShellOutput shell =
      run_bash(fmt::format("source {}; complete -p feedrate", path("feedrate.bash").string()));
  EXPECT_EQ(shell.text, "complete -o bashdefault -o default -F _feedrate feedrate\n");
}

TEST(Help, matches_its_documentation) {
  expect_golden(run_feedrate("help", {"."}).out, "docs/cli_help.md");
}

TEST_F(Workspace, completion_refuses_an_unknown_shell) { refuses("completion fish", {"fish"}); }

}  // namespace
}  // namespace feedrate::testing
