// SPDX-License-Identifier: Apache-2.0
#include <sstream>

#include "analysis/report/page_data.h"
#include "tests/analysis/report/sample_run.h"
#include "tests/support/matchers.h"

namespace feedrate {
namespace {

constexpr const char* kMarkup = "</script><img src=x onerror=alert(1)><!--";

std::string page_of(RunResult run) {
  const std::vector<PageRun> runs{{"sample", std::move(run), {}}};
  std::ostringstream out;
  write_html(out, runs);
  return out.str();
}

std::size_t count(std::string_view text, std::string_view what) {
  std::size_t found = 0;
  for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + 1)) ++found;
  return found;
}

TEST(Html, is_one_whole_page) {
  const std::string page = page_of(sample_run());
  EXPECT_THAT(page, StartsWith("<!DOCTYPE html>"));
  EXPECT_THAT(page, EndsWith("</html>\n"));
}

TEST(Html, has_nothing_left_to_be_filled_in) {
  const std::string page = page_of(sample_run());
  for (const char* const place : {"@DATA@", "@STYLE@", "@LIBRARY@", "@SCRIPT@", "@LICENCE@"}) {
    EXPECT_THAT(page, Not(HasSubstr(place)));
  }
}

TEST(Html, asks_nothing_of_the_network) {
  const std::string page = page_of(sample_run());
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
  EXPECT_THAT(page, Not(HasSubstr(" src=")));
  EXPECT_THAT(page, Not(HasSubstr("<link")));
  EXPECT_THAT(page, Not(HasSubstr("@import")));
}

TEST(Html, carries_the_licence_of_its_library) {
  EXPECT_THAT(page_of(sample_run()), HasSubstr("Redistributions in binary form must reproduce"));
}

TEST(Html, no_text_of_a_run_can_end_the_script_or_become_markup) {
  RunResult run = sample_run();
  const std::string harmless = page_of(run);
  run.question = run.config_name = run.command = run.config_text = run.jobid = kMarkup;
  run.environment.facts = {{kMarkup, kMarkup}};
  run.environment.warnings = {kMarkup};
  run.cells[0].settings[0].value = std::string(kMarkup);
  run.cells[3].reason = kMarkup;
  const std::string page = page_of(std::move(run));
  for (const char* const what : {"</script", "<script", "<img", "<!--"}) {
    EXPECT_EQ(count(page, what), count(harmless, what)) << what;
  }
}

TEST(Html, bytes_that_are_no_text_do_not_keep_a_page_from_being_made) {
  RunResult run = sample_run();
  run.cells[3].reason = "\xff\xfe.png";
  EXPECT_THAT(page_of(std::move(run)), HasSubstr("\uFFFD.png"));
}

TEST(ScriptSafe, escapes_what_html_and_javascript_would_take_for_their_own) {
  EXPECT_EQ(script_safe("[\"</script>&\u2028\u2029\"]"),
            R"(["\u003c/script\u003e\u0026\u2028\u2029"])");
}

TEST(ScriptSafe, leaves_everything_else_alone) {
  EXPECT_EQ(script_safe("{\"a\": \"µs ± – \\\"\"}"), "{\"a\": \"µs ± – \\\"\"}");
}

}  // namespace
}  // namespace feedrate
