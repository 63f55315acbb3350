// SPDX-License-Identifier: Apache-2.0
#include "bench/plan/named_device.h"

#include "core/error.h"
#include "tests/support/matchers.h"

namespace feedrate {
namespace {

std::optional<std::string> in_a_job(const std::string& name) {
  return name == "SLURM_JOB_ID" ? std::optional<std::string>("4711") : std::nullopt;
}

std::optional<std::string> in_a_job_of_lsf(const std::string& name) {
  return name == "LSB_JOBID" ? std::optional<std::string>("13") : std::nullopt;
}

std::optional<std::string> at_a_desk(const std::string&) { return std::nullopt; }

TEST(NamedDevice, auto_in_a_batch_job_is_never_a_simulated_device) {
  if (why_no_cuda().empty()) {
    EXPECT_EQ(resolve_named_device("auto", in_a_job), "cuda:0");
    return;
  }
  EXPECT_THAT([] { static_cast<void>(resolve_named_device("auto", in_a_job)); },
              ThrowsMessage<ConfigError>(AllOf(HasSubstr("job 4711 has no usable GPU"),
                                               HasSubstr("--device sim:a100-pcie4"))));
  EXPECT_THAT([] { static_cast<void>(resolve_named_device("auto", in_a_job_of_lsf)); },
              ThrowsMessage<ConfigError>(HasSubstr("job 13 has no usable GPU")));
  EXPECT_EQ(resolve_named_device("auto", at_a_desk), "sim:a100-pcie4");
}

TEST(NamedDevice, a_simulated_device_may_be_named_in_a_batch_job) {
  EXPECT_EQ(resolve_named_device("sim:h200", in_a_job), "sim:h200");
}

}  // namespace
}  // namespace feedrate
