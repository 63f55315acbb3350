// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/csv_text.h"

#include <cmath>

#include "core/error.h"
#include "tests/support/matchers.h"

namespace feedrate {
namespace {

void expect_damaged_text(const std::string& text, const std::string& message) {
  try {
    static_cast<void>(parse_csv("a.csv", text));
    FAIL() << "was taken for sound";
  } catch (const FormatError& error) {
    EXPECT_STREQ(error.what(), message.c_str());
  }
}

TEST(CsvLine, quotes_only_where_needed) {
  EXPECT_EQ(csv_line({"a", "b c", "", "x,y", "say \"hi\"", "two\nlines"}),
            "a,b c,,\"x,y\",\"say \"\"hi\"\"\",\"two\nlines\"\n");
}

TEST(CsvNumber, has_a_decimal_point_or_an_exponent_unless_it_is_a_count) {
  EXPECT_EQ(csv_number(12345.0), "12345.0");
  EXPECT_EQ(csv_number(-0.25), "-0.25");
  EXPECT_EQ(csv_number(1e300), "1e+300");
  EXPECT_EQ(csv_number(60.0, Unit::kCount), "60");
  EXPECT_EQ(csv_number(1.0, Unit::kVerdict), "1");
  EXPECT_EQ(csv_number(std::nan("")), "");
}

TEST(ParseCsv, reads_back_what_was_written) {
  const std::vector<std::string> fields{"", "x,y", "say \"hi\"", "two\r\nlines", "ü"};
  const std::vector<CsvRecord> records = parse_csv("a.csv", csv_line(fields));
  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(records[0].fields, fields);
}

TEST(CsvLine, writes_no_formula) {
  EXPECT_EQ(csv_line({"=HYPERLINK(1)", "+1+1", "-x", "@a", "-5", "-1.5e-3", "a=b"}),
            "'=HYPERLINK(1),'+1+1,'-x,'@a,-5,-1.5e-3,a=b\n");
}

TEST(ParseCsv, reads_back_what_could_be_a_formula) {
  const std::vector<std::string> fields{"=1,\"a\"", "'=1", "''=1", "-5",  "'-5", "'",
                                        "''",       "'a",  "+5",   "-",   "\t",  "'\r",
                                        "@",        "=",   "'+5",  "-inf"};
  EXPECT_EQ(parse_csv("a.csv", csv_line(fields)).at(0).fields, fields);
}

TEST(ParseCsv, takes_both_line_ends_and_a_last_line_without_one) {
  const std::vector<CsvRecord> records = parse_csv("a.csv", "a,b\r\n\n1,2\n3,");
  ASSERT_EQ(records.size(), 3U);
  EXPECT_THAT(records[1].fields, ElementsAre("1", "2"));
  EXPECT_EQ(records[1].line, 3U);
  EXPECT_THAT(records[2].fields, ElementsAre("3", ""));
}

TEST(ParseCsv, counts_lines_inside_quotes) {
  const std::vector<CsvRecord> records = parse_csv("a.csv", "\"one\ntwo\",x\ny,z\n");
  EXPECT_EQ(records[1].line, 3U);
}

TEST(ParseCsv, names_the_line_of_a_damage) {
  expect_damaged_text("a\n\"b\nc\n", "a.csv: line 2: the quote is never closed");
  expect_damaged_text("a\nb\"c\n", "a.csv: line 2: a quote inside an unquoted field");
  expect_damaged_text("a\n\"b\"c\n", "a.csv: line 2: a field must end with a comma or a line end");
}

}  // namespace
}  // namespace feedrate
