// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <regex>
#include <set>

#include <fmt/format.h>

#include "tests/program/busy_cpus.h"
#include "tests/program/workspace.h"
#include "tests/support/scoped_variable.h"

namespace feedrate::testing {
namespace {

using Usage = Workspace;

#ifdef __SSE2__
constexpr const char* kSimd = "(AVX2|SSE2)";
#else
constexpr const char* kSimd = "no SIMD";
#endif

TEST_F(Usage, help_goes_to_stdout_and_names_the_commands_and_exit_codes) {
  const Finished done = feedrate("--help");
  EXPECT_EQ(done.exit_code, 0);
  EXPECT_THAT(done.err, IsEmpty());
  EXPECT_THAT(done.out, AllOf(HasSubstr("sweep"), HasSubstr("plan"), HasSubstr("compare"),
                              HasSubstr("env"), HasSubstr("columns"), HasSubstr("data")));
  EXPECT_THAT(done.out, AllOf(HasSubstr("0 success"), HasSubstr("2 usage"), HasSubstr("130")));
}

TEST_F(Usage, version_is_one_line) {
  const Finished done = feedrate("--version");
  EXPECT_EQ(done.exit_code, 0);
  EXPECT_THAT(done.out,
              MatchesRegex(fmt::format(
                  "feedrate [0-9]+\\.[0-9]+\\.[0-9]+ \\(.*; (no CUDA|CUDA .*); {}\\)\n", kSimd)));
}

TEST_F(Usage, columns_explains_what_a_result_holds) {
  const Finished done = feedrate("columns");
  EXPECT_EQ(done.exit_code, 0);
  EXPECT_THAT(done.out, AllOf(HasSubstr("samples_per_second"), HasSubstr("loading_time")));
}

TEST_F(Usage, explain_finds_a_word_in_all_sources) {
  const Finished done = feedrate("explain samples_per_second num_workers au skip_reason");
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.out,
              AllOf(HasSubstr("  column in samples/s: "),
                    HasSubstr("  knob, loader.num_workers in a sweep: "),
                    HasSubstr("  term: Accelerator utilization: the share of the window in which"),
                    HasSubstr("  cells[].skip_reason of ")));  // links are only for the page
}

TEST_F(Usage, explain_knows_facts_of_the_machine_and_takes_a_field_with_its_place) {
  const Finished done = feedrate("explain cpus_usable tuning.recommended.num_workers");
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.out, AllOf(HasSubstr("  environment.cpus_usable of feedrate env"),
                              HasSubstr("  tuning.recommended.num_workers of feedrate run"),
                              Not(HasSubstr("knob"))));
  EXPECT_EQ(feedrate("explain nowhere.num_workers").exit_code, 2);
}

TEST_F(Usage, explain_names_the_closest_word) {
  const Finished done = feedrate("explain sample_per_second");
  EXPECT_EQ(done.exit_code, 2);
  EXPECT_THAT(done.err, HasSubstr("did you mean samples_per_second?"));
}

TEST_F(Usage, help_man_is_a_page_that_groff_takes) {
  write("feedrate.1", feedrate("help man").out);
  ASSERT_EQ(std::system("groff --version > /dev/null 2>&1"), 0)
      << "scripts/bootstrap --tests installs groff-base";
  const std::string command =
      fmt::format("groff -K utf8 -man -Tutf8 -ww -z {0}/feedrate.1 2> {0}/told", path("").string());
  EXPECT_EQ(std::system(command.c_str()), 0);
  EXPECT_THAT(read("told"), IsEmpty());
  EXPECT_THAT(read("feedrate.1"),
              AllOf(HasSubstr(".SS feedrate data make\n"),
                    HasSubstr("\\fB\\-\\-budget\\fR \\fITIME\\fR"), HasSubstr("100GB/s \\e\n")));
}

TEST_F(Usage, env_prints_the_machine_and_its_warnings) {
  const Finished done = feedrate("env");
  EXPECT_EQ(done.exit_code, 0);
  EXPECT_THAT(done.out,
              AllOf(HasSubstr("cpus_usable"), HasSubstr("memory_total"), HasSubstr("device auto"),
                    HasSubstr("cupti"), HasSubstr("cublaslt"), HasSubstr("nvjpeg"),
                    HasSubstr("nvml"), HasSubstr("nvtx"), HasSubstr("arnings")));
}

TEST_F(Usage, env_says_what_other_programs_take) {
  const BusyCpus others;
  EXPECT_THAT(feedrate("env").out, HasSubstr("Other programs use"));
}

TEST_F(Usage, env_outlives_a_library_that_crashes) {
  const ScopedVariable nvml("FEEDRATE_NVML_PATH", FAKE_CRASHING);
  const Finished done = feedrate("env");
  EXPECT_EQ(done.exit_code, 0);
  EXPECT_THAT(done.out, AllOf(HasSubstr("crashes NVML (SIGABRT)"), HasSubstr("device auto")));
}

TEST_F(Usage, env_prints_json_when_asked) {
  const Finished done = feedrate("env --json");
  EXPECT_EQ(done.exit_code, 0);
  EXPECT_THAT(done.out, AllOf(HasSubstr("\"environment\": {"), HasSubstr("\"doubts\": [")));
}

TEST_F(Usage, no_command_is_an_error_that_points_to_help) {
  const Finished done = feedrate("");
  EXPECT_EQ(done.exit_code, 2);
  EXPECT_THAT(done.out, IsEmpty());
  EXPECT_THAT(done.err, HasSubstr("--help"));
}

TEST_F(Usage, an_unknown_command_is_named_with_the_known_ones) {
  const Finished done = feedrate("swep x.yaml");
  EXPECT_EQ(done.exit_code, 2);
  EXPECT_THAT(done.err, HasSubstr("swep: unknown command; did you mean sweep?"));
}

TEST_F(Usage, an_unknown_data_command_is_named_with_the_known_ones) {
  const Finished done = feedrate("data mkae x");
  EXPECT_EQ(done.exit_code, 2);
  EXPECT_THAT(done.err, HasSubstr("mkae: unknown command; did you mean make?"));
}

TEST_F(Usage, an_unknown_command_with_help_is_an_error_too) {
  for (const char* const line : {"swep --help", "swep x.yaml --help", "data mkae --help"}) {
    const Finished done = feedrate(line);
    EXPECT_EQ(done.exit_code, 2) << line;
    EXPECT_THAT(done.out, IsEmpty());
    EXPECT_THAT(done.err, HasSubstr(": unknown command; did you mean "));
  }
  EXPECT_EQ(feedrate("sweep x.yaml --help").exit_code, 0);
  EXPECT_EQ(feedrate("run --help").exit_code, 0);
}

TEST_F(Usage, an_unknown_option_is_named) {
  const Finished done = feedrate("sweep x.yaml --zebra 3");
  EXPECT_EQ(done.exit_code, 2);
  EXPECT_THAT(done.err, AllOf(HasSubstr("--zebra: unknown option of sweep"), HasSubstr("--help")));
  EXPECT_THAT(feedrate("sweep x.yaml --axsi a=1").err,
              HasSubstr("--axsi: unknown option of sweep; did you mean --axis?"));
}

TEST_F(Usage, explain_knows_the_words_that_tables_and_summaries_print) {
  for (const char* const word :
       {"INPUT-BOUND", "GPU-BOUND", "TRAINING-BOUND", "BALANCED", "UNKNOWN", "WIN", "TIE", "LOSE",
        "UNDECIDED", "storage", "transport", "copy", "GPU", "balanced", "proposed", "samples/s",
        "limit", "input-bound", "Stall"}) {
    EXPECT_EQ(feedrate(std::string("explain ") + word).exit_code, 0) << word;
  }
  EXPECT_THAT(feedrate("explain INPUT-BOUND").out, HasSubstr("for their batch"));
}

TEST_F(Usage, the_usage_of_run_names_the_script) {
  EXPECT_THAT(feedrate("run --help").out,
              HasSubstr("Usage: feedrate run [OPTIONS] SCRIPT [ARGUMENTS OF THE SCRIPT]..."));
  EXPECT_THAT(feedrate("run").err, HasSubstr("SCRIPT is required"));
}

TEST_F(Usage, config_lists_what_the_program_carries_and_writes_one) {
  const Finished listed = feedrate("config");
  EXPECT_EQ(listed.exit_code, 0);
  EXPECT_THAT(listed.out, AllOf(HasSubstr("quickstart"), HasSubstr("mlperf/unet3d_h100"),
                                HasSubstr("own_dataset.py"), Not(HasSubstr("quickstart.yaml"))));
  const Finished printed = feedrate("config quickstart");
  EXPECT_EQ(printed.exit_code, 0);
  EXPECT_EQ(feedrate("config quickstart.yaml").out, printed.out);
  EXPECT_EQ(feedrate("config quickstart -o here.yaml").exit_code, 0);
  EXPECT_EQ(read("here.yaml"), printed.out);
  EXPECT_EQ(feedrate("plan here.yaml").exit_code, 0);
  EXPECT_THAT(feedrate("config quickstart -o here.yaml").err,
              HasSubstr("here.yaml: already exists"));
  EXPECT_THAT(feedrate("config qickstart").err,
              HasSubstr("unknown configuration; did you mean quickstart?"));
}

// A program that pip installed has neither configs/ nor docs/.
TEST_F(Usage, help_names_only_what_the_program_carries) {
  const std::string help = feedrate("help").out;
  EXPECT_THAT(help, AllOf(Not(HasSubstr("configs/")), Not(HasSubstr("docs/"))));
  static const std::regex kPage("feedrate help ([a-z][a-z-]+)");
  std::set<std::string> pages;
  for (auto found = std::sregex_iterator(help.begin(), help.end(), kPage);
       found != std::sregex_iterator(); ++found) {
    pages.insert((*found)[1].str());
  }
  EXPECT_GE(pages.size(), 5U);
  for (const std::string& page : pages) {
    EXPECT_EQ(feedrate("help " + page).exit_code, 0) << page;
  }
  EXPECT_THAT(feedrate("help what-iff").err, HasSubstr("unknown page; did you mean what-if?"));
}

TEST_F(Usage, a_missing_argument_is_named) {
  const Finished done = feedrate("sweep");
  EXPECT_EQ(done.exit_code, 2);
  EXPECT_THAT(done.err, HasSubstr("config is required"));
}

TEST_F(Usage, an_option_that_must_be_positive_says_so) {
  const Finished done = feedrate("sweep x.yaml --steps 0");
  EXPECT_EQ(done.exit_code, 2);
  EXPECT_THAT(done.err, HasSubstr("--steps: 0: must be between 1 and 1000000000"));
}

TEST_F(Usage, refuses_too_many_repeats) {
  write("s.yaml", sweep_config("path: ds"));
  const Finished done = feedrate("sweep s.yaml --repeats 99999999999999999999");
  EXPECT_EQ(done.exit_code, 2);
  EXPECT_THAT(done.err, HasSubstr("--repeats 99999999999999999999: must be auto, or a whole number "
                                  "between 1 and 1000000000"));
}

TEST_F(Usage, output_that_cannot_be_written_is_an_error) {
  ChildSetup setup = this->setup();
  setup.stdout_to = "/dev/full";
  const Finished done = run_feedrate("columns", setup);
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.err, HasSubstr("stdout: cannot be written"));
}

struct CommandHelp {
  const char* command;
  std::vector<std::string> flags;
  // GoogleTest would print changing bytes into the test's name
  friend void PrintTo(const CommandHelp& help, std::ostream* out) { *out << help.command; }
};

class HelpOf : public Workspace, public ::testing::WithParamInterface<CommandHelp> {};

TEST_P(HelpOf, a_command_names_its_flags) {
  const Finished done = feedrate(fmt::format("{} --help", GetParam().command));
  EXPECT_EQ(done.exit_code, 0);
  EXPECT_THAT(done.err, IsEmpty());
  for (const std::string& flag : GetParam().flags) EXPECT_THAT(done.out, HasSubstr(flag));
}

INSTANTIATE_TEST_SUITE_P(
    Usage, HelpOf,
    ::testing::Values(
        CommandHelp{"sweep",
                    {"--axis", "--only", "--device", "--steps", "--repeats", "--seed", "--out",
                     "num_workers", "hdf5-contiguous", "sim:a100-pcie4"}},
        CommandHelp{"plan", {"--axis", "--only", "--device", "--steps", "--repeats", "--seed"}},
        CommandHelp{"compare", {"--threshold"}}, CommandHelp{"env", {"--dataset", "--json"}},
        CommandHelp{"trace", {"file", "--config-out", "--json"}},
        CommandHelp{"data", {"make", "convert", "info", "verify"}},
        CommandHelp{"data make",
                    {"--format", "--preset", "--count", "--seed", "--size", "--encoding",
                     "--quality", "--classes", "--chunk", "--shard-bytes", "--threads"}},
        CommandHelp{
            "data convert",
            {"--format", "--strict", "--no-decode-check", "--chunk", "--shard-bytes", "--threads"}},
        CommandHelp{"data info", {"--sample"}}, CommandHelp{"data verify", {"--threads"}}),
    [](const auto& tested) {
      std::string name = tested.param.command;
      std::replace(name.begin(), name.end(), ' ', '_');
      return name;
    });

TEST_F(Usage, the_exit_codes_stand_under_the_top_help_only) {
  EXPECT_THAT(feedrate("--help").out, AllOf(HasSubstr("Exit codes:"), HasSubstr("Start here:")));
  for (const char* command : {"sweep", "tune", "compare", "env", "data make"}) {
    EXPECT_THAT(feedrate(fmt::format("{} --help", command)).out, Not(HasSubstr("Exit codes:")))
        << command;
  }
}

TEST_F(Usage, help_names_values_not_types) {
  for (const char* command :
       {"tune", "sweep", "plan", "what-if", "compare", "limits", "data make", "data convert"}) {
    const std::string out = feedrate(fmt::format("{} --help", command)).out;
    for (const char* type : {"ENUM", "->", "[UNIT]", " in [", "POSITIVE", "kb(=", "FLOAT", "UINT"})
      EXPECT_THAT(out, Not(HasSubstr(type))) << command;
  }
}

TEST_F(Usage, sweep_shows_the_knobs_used_most_and_where_all_are) {
  const std::string out = feedrate("sweep --help").out;
  EXPECT_THAT(out, AllOf(HasSubstr("num_workers"), HasSubstr("feedrate help knobs"),
                         Not(HasSubstr("all_reduce_bytes"))));
  EXPECT_THAT(feedrate("help knobs").out, HasSubstr("all_reduce_bytes"));
}

}  // namespace
}  // namespace feedrate::testing
