// SPDX-License-Identifier: Apache-2.0
#include "bench/plan/cost_profile.h"

#include <cmath>
#include <limits>

#include "core/error.h"
#include "tests/support/matchers.h"

namespace feedrate {
namespace {

CostProfile some_profile() {
  CostProfile profile;
  profile.machine = "AMD EPYC, 2 usable CPUs";
  profile.versions = "torch 2.15.0, Python \"3.11\"";
  profile.dataset = "data/images: mine";
  profile.settled_within = 0.00025;
  profile.costs.worker_sample = Nanos(123'456);
  profile.costs.worker_start = Nanos(9'000'000);
  profile.costs.receive = {Nanos(400'500), 0.25};
  return profile;
}

TEST(CostProfile, comes_back_from_its_text) {
  const CostProfile written = some_profile();
  const CostProfile read = parse_cost_profile(to_yaml(written), "p.yaml");
  EXPECT_EQ(read.machine, written.machine);
  EXPECT_EQ(read.versions, written.versions);
  EXPECT_EQ(read.dataset, written.dataset);
  EXPECT_DOUBLE_EQ(read.settled_within, written.settled_within);
  EXPECT_EQ(read.costs.worker_sample, written.costs.worker_sample);
  EXPECT_EQ(read.costs.worker_start, written.costs.worker_start);
  EXPECT_EQ(read.costs.receive.fixed, written.costs.receive.fixed);
  EXPECT_EQ(read.costs.receive.ns_per_byte, written.costs.receive.ns_per_byte);
  EXPECT_EQ(to_yaml(read), to_yaml(written));
}

TEST(CostProfile, of_an_older_version_has_no_settled_limit) {
  CostProfile profile = some_profile();
  profile.settled_within = std::numeric_limits<double>::infinity();
  const std::string text = to_yaml(profile);
  EXPECT_THAT(text, Not(HasSubstr("settled_within")));
  EXPECT_TRUE(std::isinf(parse_cost_profile(text, "p.yaml").settled_within));
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

void expect_refused(const std::string& text, const std::string& key, const std::string& problem) {
  EXPECT_THAT(
      [&] { static_cast<void>(parse_cost_profile(text, "p.yaml")); },
      ThrowsMessage<ConfigError>(AllOf(HasSubstr("p.yaml"), HasSubstr(key), HasSubstr(problem))));
}

TEST(CostProfile, names_what_is_missing_unknown_or_out_of_range) {
  const std::string text = to_yaml(some_profile());
  expect_refused(replaced(text, "  inline_sample:", "  simple:"), "simple", "inline_sample");
  expect_refused(replaced(text, "123.456", "-1"), "sample", "");
  expect_refused(replaced(text, "123.456", "fast"), "sample", "fast");
  expect_refused(replaced(text, "ns_per_byte: 0.25", "ns_per_bit: 0.25"), "receive", "ns_per_bit");
  expect_refused(replaced(text, "machine:", "maschine:"), "maschine", "machine");
  expect_refused("microseconds: 3\n", "machine", "lacks");
}

TEST(CostProfile, a_missing_file_names_the_cure) {
  EXPECT_THAT([] { static_cast<void>(load_cost_profile("no/such/profile.yaml")); },
              ThrowsMessage<ConfigError>(
                  AllOf(HasSubstr("no/such/profile.yaml"), HasSubstr("feedrate calibrate"))));
}

}  // namespace
}  // namespace feedrate
