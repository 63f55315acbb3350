// SPDX-License-Identifier: Apache-2.0
// The program with the CUDA runtime on machines without a usable GPU: it reports the reason, and
// everything else works. The runtime is real; libcuda.so.1 is a fake.
#include <cstdlib>

#include "core/shared_library.h"
#include "tests/program/workspace.h"

namespace feedrate::testing {
namespace {

#ifndef FAKE_CUDA_DRIVER
constexpr const char* FAKE_CUDA_DRIVER = "";
constexpr const char* FAKE_CUDA_DRIVER_OLD = "";
#endif
#ifndef CUDA_STUB
constexpr const char* CUDA_STUB = "";
#endif

constexpr const char* kNewest = "99000";  // newer than any runtime

struct Machine {
  const char* name;
  const char* driver;        ///< the libcuda.so.1; null: none
  const char* version = "";  ///< of a fake one
  const char* init = "";     ///< result of its cuInit
  std::vector<std::string> says;
  friend void PrintTo(const Machine& machine, std::ostream* out) { *out << machine.name; }
};

class CudaDriver : public Workspace, public ::testing::WithParamInterface<Machine> {
 protected:
  void SetUp() override {
    const Machine& machine = GetParam();
    if (*FAKE_CUDA_DRIVER == '\0') GTEST_SKIP() << "built without CUDA: there is no runtime to ask";
    std::filesystem::create_directory(path("lib"));
    if (machine.driver == nullptr) {
      std::string problem;
      if (SharedLibrary("libcuda.so.1", false, problem)) {
        GTEST_SKIP() << "this machine has a libcuda.so.1, so a missing one cannot be tried";
      }
      return;
    }
    if (*machine.driver == '\0')
      GTEST_SKIP() << "this CUDA toolkit comes without a stub of libcuda";
    std::filesystem::create_symlink(machine.driver, path("lib/libcuda.so.1"));
  }

  [[nodiscard]] Finished feedrate_there(std::string_view line) const {
    ChildSetup child = setup();
    child.before_exec = [folder = path("lib").string(), &machine = GetParam()] {
      return ::setenv("LD_LIBRARY_PATH", folder.c_str(), 1) == 0 &&
             ::setenv("FAKE_CUDA_VERSION", machine.version, 1) == 0 &&
             ::setenv("FAKE_CUDA_INIT", machine.init, 1) == 0;
    };
    return run_feedrate(line, child);
  }

  void expect_said_in(const std::string& text) const {
    for (const std::string& part : GetParam().says) EXPECT_THAT(text, HasSubstr(part));
  }
};

TEST_P(CudaDriver, a_sweep_on_the_gpu_says_what_is_wrong_before_it_measures) {
  make_images();
  write("s.yaml", sweep_config("path: ds"));
  const Finished done = feedrate_there("sweep s.yaml --device cuda --out results");
  EXPECT_EQ(done.exit_code, 2);
  EXPECT_THAT(done.err, AllOf(HasSubstr("device cuda:0: "), HasSubstr("--device auto")));
  expect_said_in(done.err);
  EXPECT_FALSE(exists("results"));
}

TEST_P(CudaDriver, a_sweep_on_a_simulated_device_runs) {
  make_images();
  write("s.yaml", sweep_config("path: ds"));
  const Finished done = feedrate_there("sweep s.yaml --out results");
  EXPECT_EQ(done.exit_code, 0) << done.err;
}

TEST_P(CudaDriver, env_says_what_is_wrong_and_what_is_used_instead) {
  const Finished done = feedrate_there("env");
  EXPECT_EQ(done.exit_code, 0) << done.err;
  expect_said_in(done.out);
  EXPECT_THAT(done.out, HasSubstr("sim:a100-pcie4"));
}

INSTANTIATE_TEST_SUITE_P(
    Machines, CudaDriver,
    ::testing::Values(
        Machine{.name = "without_driver", .driver = nullptr, .says = {"has no NVIDIA driver"}},
        Machine{.name = "with_a_file_that_is_no_library",
                .driver = "/dev/null",
                .says = {"has no NVIDIA driver", "no usable libcuda.so.1"}},
        Machine{.name = "with_the_toolkits_stub",
                .driver = CUDA_STUB,
                .says = {"stub of the CUDA toolkit, not a driver", "LD_LIBRARY_PATH"}},
        Machine{.name = "with_a_driver_from_before_cuda_12",
                .driver = FAKE_CUDA_DRIVER_OLD,
                .version = "11040",
                .says = {"driver is too old: it supports CUDA up to 11.4", "needs CUDA 12"}},
        Machine{.name = "without_gpu",
                .driver = FAKE_CUDA_DRIVER,
                .version = kNewest,
                .init = "100",
                .says = {"reports no GPU", "CUDA_VISIBLE_DEVICES"}},
        Machine{.name = "with_a_busy_gpu",
                .driver = FAKE_CUDA_DRIVER,
                .version = kNewest,
                .init = "46",
                .says = {"the GPU is not available", "compute mode"}},
        Machine{.name = "with_an_updated_driver_before_a_restart",
                .driver = FAKE_CUDA_DRIVER,
                .version = kNewest,
                .init = "803",
                .says = {"different versions; reboot after a driver update"}}),
    [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace feedrate::testing
