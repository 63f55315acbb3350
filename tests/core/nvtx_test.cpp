// SPDX-License-Identifier: Apache-2.0
#include "core/nvtx.h"

#include <functional>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/shared_library.h"
#include "tests/support/fake_nvtx.h"
#include "tests/support/forked_test.h"
#include "tests/support/scoped_variable.h"

namespace feedrate {
namespace {

using ::testing::HasSubstr;
using testing::run_forked;
using testing::ScopedVariable;

#ifdef FAKE_NVTX

// Each test forks, because NVTX looks for a tool once per process.
std::string with_tool(const std::string& tool, const std::function<std::string()>& body) {
  const ScopedVariable variable("NVTX_INJECTION64_PATH", tool);
  return run_forked(body);
}

std::string seen() {
  std::string problem;
  const SharedLibrary tool(FAKE_NVTX, false, problem);
  if (!tool) return problem;
  const auto ask = reinterpret_cast<decltype(&fake_nvtx_seen)>(tool.symbol("fake_nvtx_seen"));
  const testing::FakeNvtxSeen& seen = *ask();
  std::string text;
  for (const std::string& domain : seen.domains) text += fmt::format("domain {}; ", domain);
  for (const auto& [name, count] : seen.pushes) text += fmt::format("{} x{}; ", name, count);
  for (const std::uint64_t payload : seen.payloads) text += fmt::format("{} ", payload);
  return text + fmt::format("pops {}", seen.pops);
}

TEST(Nvtx, a_tool_sees_each_range_with_its_name_and_number) {
  EXPECT_EQ(with_tool(FAKE_NVTX,
                      [] {
                        {
                          const NvtxRange batch("fetch", 7);
                          const NvtxRange first("read", 123456789012);
                        }
                        const NvtxRange second("read", 8);
                        return seen();
                      }),
            "domain feedrate; fetch x1; read x2; 7 123456789012 8 pops 2");
}

TEST(Nvtx, a_range_may_be_followed_by_the_next_without_a_gap) {
  EXPECT_EQ(with_tool(FAKE_NVTX,
                      [] {
                        NvtxRange stage("decode", 3);
                        stage.next("transform", 4);
                        return seen();
                      }),
            "domain feedrate; decode x1; transform x1; 3 4 pops 1");
}

TEST(Nvtx, says_that_a_tool_listens) {
  EXPECT_EQ(with_tool(FAKE_NVTX, describe_nvtx), "a tool is attached");
}

TEST(Nvtx, without_a_tool_ranges_do_nothing) {
  for (const char* tool : {"", "/does/not/exist.so"}) {
    EXPECT_THAT(with_tool(tool,
                          [] {
                            const NvtxRange range("read", 1);
                            return describe_nvtx();
                          }),
                HasSubstr("no tool is attached (NVTX_INJECTION64_PATH"));
  }
}

#else

TEST(Nvtx, a_build_without_it_says_so) {
  const NvtxRange range("read", 1);
  EXPECT_THAT(describe_nvtx(), HasSubstr("not built in"));
}

#endif

}  // namespace
}  // namespace feedrate
