// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/training/made_call.h"
#include "tests/training/made_script.h"
#include "training/call_edit.h"

namespace feedrate::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

ScriptLoader with_workers(ScriptLoader loader, std::size_t workers) {
  loader.num_workers = workers;
  return loader;
}

ScriptLoader called(const char* marked) {
  ScriptLoader loader = made_loader();
  loader.call = made_call(marked);
  return loader;
}

TEST(CallAdvice, shows_changed_lines_with_their_numbers) {
  ScriptLoader from =
      called("DataLoader(\n    data,\n    num_workers=«args.n»,\n    pin_memory=«pin»‹, ›,\n)");
  ScriptLoader to = with_workers(from, 4);
  EXPECT_THAT(change_lines(from, to), ElementsAre("train.py:44  -     num_workers=args.n,",
                                                  "             +     num_workers=4,"));
  to.pin_memory = true;
  EXPECT_THAT(
      change_lines(from, to),
      ElementsAre("train.py:44  -     num_workers=args.n,", "             +     num_workers=4,",
                  "train.py:45  -     pin_memory=pin,", "             +     pin_memory=True,"));
  EXPECT_THAT(change_lines(from, from), IsEmpty());
}

TEST(CallAdvice, has_the_arguments_that_the_call_hides) {
  ScriptLoader from = called("DataLoader(data, **options‹, ›)");
  from.call->is_open = true;
  EXPECT_THAT(change_lines(from, with_workers(from, 4)),
              ElementsAre("set num_workers=4 in the arguments of the call at train.py:42"));
}

TEST(CallAdvice, has_all_arguments_without_source_text) {
  const ScriptLoader from = made_loader();
  ScriptLoader to = with_workers(from, 4);
  to.pin_memory = true;
  EXPECT_THAT(change_lines(from, to),
              ElementsAre("set num_workers=4, pin_memory=True in the DataLoader of train.py:42"));
}

TEST(CallAdvice, of_an_earlier_loader_has_unknown_arguments) {
  ScriptLoader from = called("DataLoader(data‹, ›)");
  from.is_given_known = false;
  EXPECT_THAT(change_lines(from, with_workers(from, 4)),
              ElementsAre("set num_workers=4 in the DataLoader of train.py:42: it was made before "
                          "feedrate was imported, so that its other arguments are not known"));
}

TEST(CallAdvice, has_the_option_of_a_library) {
  ScriptLoader from = called("trainer.train(‹›)");
  from.library = "transformers";
  ScriptLoader to = with_workers(from, 4);
  to.pin_memory = true;
  EXPECT_THAT(change_lines(from, to),
              ElementsAre("transformers makes the loader for train.py:42: set TrainingArguments("
                          "dataloader_num_workers=4, dataloader_pin_memory=True)"));
}

TEST(CallAdvice, has_the_option_of_a_library_for_the_start_method) {
  ScriptLoader from = called("trainer.train(‹›)");
  from.library = "transformers";
  from.context = "fork";
  EXPECT_THAT(
      change_lines(from, with_workers(from, 4)),
      ElementsAre("transformers makes the loader for train.py:42: set TrainingArguments("
                  "dataloader_num_workers=4, dataloader_multiprocessing_context=\"fork\")"));
}

TEST(CallAdvice, has_the_arguments_without_an_option) {
  ScriptLoader from = made_loader();
  from.library = "ultralytics";
  ScriptLoader to = with_workers(from, 4);
  to.pin_memory = true;
  EXPECT_THAT(change_lines(from, to),
              ElementsAre("ultralytics makes the loader for train.py:42: set train(workers=4)",
                          "ultralytics has no option for pin_memory=True"));
}

TEST(CallAdvice, edits_the_option_of_a_library_in_the_call) {
  ScriptLoader from = called("model.train(data=«d», workers=«8»‹, ›)");
  from.library = "ultralytics";
  EXPECT_THAT(change_lines(from, with_workers(from, 4)),
              ElementsAre("train.py:42  - model.train(data=d, workers=8)",
                          "             + model.train(data=d, workers=4)"));
}

TEST(CallAdvice, has_the_call_that_leads_to_an_unknown_library) {
  ScriptLoader from = called("fit(model‹, ›)");
  from.library = "somelib";
  EXPECT_THAT(change_lines(from, with_workers(from, 4)),
              ElementsAre("the call at train.py:42 leads to the loader, which somelib makes: pass "
                          "num_workers=4 through it"));
}

}  // namespace
}  // namespace feedrate::testing
