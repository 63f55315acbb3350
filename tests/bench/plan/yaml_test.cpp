// SPDX-License-Identifier: Apache-2.0
#include "bench/plan/config_node.h"
#include "tests/support/matchers.h"

namespace feedrate {
namespace {

void expect_yaml_error(const std::string& text, const char* start) {
  EXPECT_THAT([&] { static_cast<void>(parse_yaml(text, "a.yaml")); },
              ThrowsMessage<ConfigError>(StartsWith(start)));
}

TEST(ParseYaml, keeps_lines_and_order) {
  const ConfigNode root = parse_yaml("b: 1\na:\n  - x\n  - y\n", "a.yaml");
  ASSERT_EQ(root.entries.size(), 2U);
  EXPECT_EQ(root.entries[0].key, "b");
  EXPECT_EQ(root.find("b")->scalar, "1");
  EXPECT_EQ(root.find("a")->items[1].line, 4);
  EXPECT_EQ(root.find("c"), nullptr);
}

TEST(ParseYaml, names_file_and_line_of_what_is_wrong) {
  expect_yaml_error("a: [1\nb: 2\n", "a.yaml:2:2: not valid YAML");
  expect_yaml_error("a: 1\na: 2\n", "a.yaml:2: a: is a duplicate key");
  expect_yaml_error("? [1, 2]\n: 3\n", "a.yaml:1: : a key must be a plain string");
}

TEST(ParseYaml, refuses_what_is_nested_too_deeply) {
  EXPECT_THAT(
      [] {
        static_cast<void>(parse_yaml(std::string(100, '[') + std::string(100, ']'), "a.yaml"));
      },
      ThrowsMessage<ConfigError>(HasSubstr("nested too deeply")));
}

TEST(ParseYaml, refuses_aliases_that_multiply) {
  std::string text = "a: &a [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n";
  for (const char* line : {"b: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a, *a]\n",
                           "c: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b, *b]\n",
                           "d: &d [*c, *c, *c, *c, *c, *c, *c, *c, *c, *c]\n",
                           "e: [*d, *d, *d, *d, *d, *d, *d, *d, *d, *d]\n"}) {
    text += line;
  }
  EXPECT_THAT([&] { static_cast<void>(parse_yaml(text, "a.yaml")); },
              ThrowsMessage<ConfigError>(HasSubstr("too many values")));
}

TEST(CheckKeys, proposes_the_closest_key) {
  const ConfigNode root = parse_yaml("num_worker: 2\n", "a.yaml");
  EXPECT_THAT(
      [&] {
        check_keys(root, "loader", {"num_workers", "shuffle"});
      },
      ThrowsMessage<ConfigError>("a.yaml:1: loader.num_worker: unknown key; did you mean "
                                 "num_workers?; valid keys: num_workers, shuffle"));
}

TEST(CheckKeys, proposes_nothing_where_nothing_is_close) {
  const ConfigNode root = parse_yaml("colour: 2\n", "a.yaml");
  EXPECT_THAT([&] { check_keys(root, "", {"dataset"}); },
              ThrowsMessage<ConfigError>("a.yaml:1: colour: unknown key; valid keys: dataset"));
}

}  // namespace
}  // namespace feedrate
