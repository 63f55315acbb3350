// SPDX-License-Identifier: Apache-2.0
#include "formats/folder/labels_csv.h"

#include "tests/formats/sample_records.h"

namespace feedrate::testing {
namespace {

LabelsCsv parse(std::string_view text, std::vector<std::string> names = {}) {
  return parse_labels_csv(text, std::move(names), "labels.csv");
}

std::string problem(std::string_view text, std::vector<std::string> names = {}) {
  return message_of<FormatError>([&] { (void)parse(text, std::move(names)); });
}

TEST(LabelsCsv, reads_integers_in_the_order_of_the_lines) {
  const auto csv = parse("filename,label\nb.jpg,5\na.jpg,0\nc.jpg,\n");
  ASSERT_EQ(csv.files.size(), 3U);
  EXPECT_EQ(csv.files[0].filename, "b.jpg");
  EXPECT_EQ(csv.files[0].label, 5);
  EXPECT_EQ(csv.files[2].label, kNoLabel);
  EXPECT_TRUE(csv.class_names.empty());
}

TEST(LabelsCsv, numbers_names_in_sorted_order) {
  const auto csv = parse("filename,label\na.jpg,dog\nb.jpg,cat\nc.jpg,dog\n");
  EXPECT_THAT(csv.class_names, ElementsAre("cat", "dog"));
  EXPECT_EQ(csv.files[0].label, 1);
  EXPECT_EQ(csv.files[1].label, 0);
}

TEST(LabelsCsv, looks_names_up_in_a_list_of_classes) {
  const auto csv = parse("filename,label\na.jpg,cat\n", {"dog", "cat"});
  EXPECT_EQ(csv.files[0].label, 1);
  EXPECT_THAT(problem("filename,label\na.jpg,cow\n", {"dog", "cat"}),
              HasSubstr("line 2: label \"cow\""));
}

TEST(LabelsCsv, reads_quotes_windows_lines_a_byte_order_mark_and_other_columns) {
  const auto csv = parse(
      "\xEF\xBB\xBF"
      "split,label,filename\r\n"
      "train,\"3\",\"a \"\"b\"\", c.jpg\"\r\n"
      "\r\n"
      "test,4,\"two\nlines.jpg\"");
  ASSERT_EQ(csv.files.size(), 2U);
  EXPECT_EQ(csv.files[0].filename, "a \"b\", c.jpg");
  EXPECT_EQ(csv.files[0].label, 3);
  EXPECT_EQ(csv.files[1].filename, "two\nlines.jpg");
}

TEST(LabelsCsv, names_the_line_of_a_problem) {
  EXPECT_THAT(problem(""), HasSubstr("line 1: no column \"filename\""));
  EXPECT_THAT(problem("filename\na.jpg\n"), HasSubstr("no column \"label\""));
  EXPECT_THAT(problem("filename,label\na.jpg\n"), HasSubstr("line 2: 1 fields"));
  EXPECT_THAT(problem("filename,label\na.jpg,1,2\n"), HasSubstr("line 2: 3 fields"));
  EXPECT_THAT(problem("filename,label\n\"a\nb.jpg\",1\nc.jpg,x\n"),
              HasSubstr("line 4: label \"x\""));
  EXPECT_THAT(problem("filename,label\n\"a.jpg,1\n"), HasSubstr("line 2: a quote is never closed"));
  EXPECT_THAT(problem("filename,label\n\"a\"b.jpg,1\n"),
              HasSubstr("line 2: text after a closing quote"));
  EXPECT_THAT(problem("filename,label\na.jpg,1\na.jpg,2\n"),
              HasSubstr("line 3: filename \"a.jpg\" is listed twice"));
  EXPECT_THAT(problem("filename,label\na.jpg,1\nb.jpg,99999999999999999999\n"),
              HasSubstr("line 3"));
}

TEST(LabelsCsv, refuses_filenames_that_leave_the_folder) {
  for (const char* name : {"../a.jpg", "/etc/passwd", "a/../../b.jpg", "", "./a.jpg"}) {
    EXPECT_THAT(problem(std::string("filename,label\n") + name + ",1\n"), HasSubstr("is rejected"))
        << name;
  }
}

TEST(LabelsCsv, quotes_what_needs_it) {
  const std::vector<LabelledFile> files{{"plain.jpg", 1}, {"a,\"b\"\n.jpg", kNoLabel}};
  const auto csv = parse(format_labels_csv(files));
  EXPECT_EQ(csv.files[1].filename, files[1].filename);
  EXPECT_EQ(csv.files[1].label, kNoLabel);
}

}  // namespace
}  // namespace feedrate::testing
