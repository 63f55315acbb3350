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
  const Finished done = succeeds("--help");
  EXPECT_THAT(done.err, IsEmpty());
  EXPECT_THAT(done.out, AllOf(HasSubstr("sweep"), HasSubstr("plan"), HasSubstr("compare"),
                              HasSubstr("env"), HasSubstr("columns"), HasSubstr("data")));
  EXPECT_THAT(done.out, AllOf(HasSubstr("0 success"), HasSubstr("2 usage"), HasSubstr("130")));
}

TEST_F(Usage, version_is_one_line) {
  EXPECT_THAT(succeeds("--version").out,
              MatchesRegex(fmt::format(
                  "feedrate [0-9]+\\.[0-9]+\\.[0-9]+ \\(.*; (no CUDA|CUDA .*); {}\\)\n", kSimd)));
}

TEST_F(Usage, explain_finds_a_word_in_all_sources) {
  EXPECT_THAT(succeeds("explain samples_per_second num_workers au skip_reason").out,
              AllOf(HasSubstr("  column in samples/s: "),
                    HasSubstr("  knob, loader.num_workers in a sweep: "),
                    HasSubstr("  term: Accelerator utilization: the share of the window in which"),
                    HasSubstr("  cells[].skip_reason of ")));  // links are only for the page
}

TEST_F(Usage, explain_knows_facts_of_the_machine_and_takes_a_field_with_its_place) {
  EXPECT_THAT(
      succeeds("explain cpus_usable tuning.recommended.num_workers").out,
      AllOf(HasSubstr("  environment.cpus_usable of feedrate env"),
            HasSubstr("  tuning.recommended.num_workers of feedrate run"), Not(HasSubstr("knob"))));
  refuses("explain nowhere.num_workers");
  refuses("explain sample_per_second", {"did you mean samples_per_second?"});
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
  EXPECT_THAT(succeeds("env").out,
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
  EXPECT_THAT(succeeds("env").out,
              AllOf(HasSubstr("crashes NVML (SIGABRT)"), HasSubstr("device auto")));
}

TEST_F(Usage, env_prints_json_when_asked) {
  EXPECT_THAT(succeeds("env --json").out,
              AllOf(HasSubstr("\"environment\": {"), HasSubstr("\"warnings\": [")));
}

TEST_F(Usage, no_command_is_an_error_that_points_to_help) {
  EXPECT_THAT(refuses("", {"--help"}).out, IsEmpty());
}

TEST_F(Usage, unknown_commands_and_options_are_named_with_the_closest) {
  for (const char* const line :
       {"swep x.yaml", "swep --help", "swep x.yaml --help", "data mkae x", "data mkae --help"}) {
    EXPECT_THAT(refuses(line, {": unknown command; did you mean "}).out, IsEmpty());
  }
  refuses("sweep x.yaml --zebra 3", {"--zebra: unknown option of sweep", "--help"});
  refuses("sweep x.yaml --axsi a=1", {"--axsi: unknown option of sweep; did you mean --axis?"});
  prepare("sweep x.yaml --help");
  prepare("run --help");
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
  EXPECT_THAT(succeeds("config").out,
              AllOf(HasSubstr("quickstart"), HasSubstr("mlperf/unet3d_h100"),
                    HasSubstr("own_dataset.py"), Not(HasSubstr("quickstart.yaml"))));
  const Finished printed = succeeds("config quickstart");
  EXPECT_EQ(feedrate("config quickstart.yaml").out, printed.out);
  prepare("config quickstart -o here.yaml");
  EXPECT_EQ(read("here.yaml"), printed.out);
  prepare("plan here.yaml");
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

TEST_F(Usage, an_option_that_is_out_of_range_names_the_range) {
  refuses("sweep x.yaml --steps 0", {"--steps: 0: must be between 1 and 1000000000"});
  write("s.yaml", sweep_config("path: ds"));
  refuses("sweep s.yaml --repeats 99999999999999999999",
          {"--repeats 99999999999999999999: must be auto, or a whole number "
           "between 1 and 1000000000"});
}

TEST_F(Usage, output_that_cannot_be_written_is_an_error) {
  ChildSetup setup = this->setup();
  setup.stdout_to = "/dev/full";
  const Finished done = run_feedrate("columns", setup);
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.err, HasSubstr("stdout: cannot be written"));
}

TEST_F(Usage, the_exit_codes_stand_under_the_top_help_only) {
  EXPECT_THAT(feedrate("--help").out, AllOf(HasSubstr("Exit codes:"), HasSubstr("Start here:")));
  for (const char* command : {"sweep", "tune", "compare", "env", "data make"}) {
    EXPECT_THAT(feedrate(fmt::format("{} --help", command)).out, Not(HasSubstr("Exit codes:")))
        << command;
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
