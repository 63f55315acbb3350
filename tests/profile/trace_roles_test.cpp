// SPDX-License-Identifier: Apache-2.0
#include "profile/trace_roles.h"

#include <gtest/gtest.h>

namespace feedrate {
namespace {

Role role(std::string_view category, std::string_view name = "x") {
  return role_of(trace_category(category), name);
}

TEST(TraceRoles, categories_of_both_layouts) {
  for (const char* name : {"kernel"}) EXPECT_EQ(role(name), Role::kKernel) << name;
  for (const char* name : {"gpu_memcpy", "memcpy"}) EXPECT_EQ(role(name), Role::kMemcpy) << name;
  for (const char* name : {"gpu_memset", "memset"}) EXPECT_EQ(role(name), Role::kMemset) << name;
  for (const char* name : {"cuda_runtime", "runtime", "mtia_runtime", "glow_runtime", "xpu_runtime",
                           "privateuse1_runtime"}) {
    EXPECT_EQ(role(name), Role::kRuntime) << name;
  }
  for (const char* name :
       {"cpu_op", "operator", "python", "user_annotation", "gpu_user_annotation"}) {
    EXPECT_EQ(role(name), Role::kCpuExec) << name;
  }
  for (const char* name : {"cuda_driver", "python_function", "cuda_sync", "cuda_event", "overhead",
                           "ac2g", "fwdbwd", "Kernel", ""}) {
    EXPECT_EQ(role(name), Role::kUncounted) << name;
  }
}

TEST(TraceRoles, only_next_of_a_loader_is_loading) {
  const char* const next = "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__";
  for (const char* category : {"cpu_op", "operator", "user_annotation"}) {
    EXPECT_EQ(role(category, next), Role::kDataLoader) << category;
  }
  EXPECT_EQ(role("user_annotation", "enumerate(DataPipe)#Mapper"), Role::kDataLoader);
  EXPECT_EQ(role("python", next), Role::kCpuExec);
  EXPECT_EQ(role("cpu_op", "enumerate(DataLoader)#x.__iter__"), Role::kCpuExec);
  EXPECT_EQ(role("cpu_op", "my enumerate(DataLoader)#x.__next__"), Role::kCpuExec);
}

TEST(TraceRoles, collectives_are_communication) {
  for (const char* name : {"nccl:broadcast", "nccl:reduce", "nccl:all_reduce", "gloo:all_gather",
                           "gloo:reduce_scatter"}) {
    EXPECT_EQ(role("cpu_op", name), Role::kCommunication) << name;
    EXPECT_TRUE(is_communication_operator(name)) << name;
  }
  EXPECT_EQ(role("cpu_op", "nccl:"), Role::kCpuExec);
  EXPECT_EQ(role("cpu_op", "nccl:all_reduce_coalesced"), Role::kCpuExec);
  EXPECT_EQ(role("kernel", "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*)"),
            Role::kCommunication);
  EXPECT_EQ(role("kernel", "void ncclKernel_AllReduce"), Role::kCommunication);
}

TEST(TraceRoles, the_ends_of_a_copy_stand_in_its_name) {
  using enum MemoryKind;
  EXPECT_EQ(copy_ends("Memcpy HtoD (Pageable -> Device)"), std::pair(kPageable, kDevice));
  EXPECT_EQ(copy_ends("Memcpy HtoD (Pinned -> Device)"), std::pair(kPinned, kDevice));
  EXPECT_EQ(copy_ends("Memcpy DtoH (Device -> Pinned)"), std::pair(kDevice, kPinned));
  EXPECT_EQ(copy_ends("Memcpy DtoD (Device -> Device)"), std::pair(kDevice, kDevice));
  EXPECT_EQ(copy_ends("Memcpy HtoD"), std::pair(kUnknown, kDevice));
  EXPECT_EQ(copy_ends("Memcpy HtoD (Host -> Device)"), std::pair(kUnknown, kDevice));
  for (const char* name : {"", ") -> (", " -> ", "(", "( -> "}) {
    EXPECT_EQ(copy_ends(name), std::pair(kUnknown, kUnknown)) << name;
  }
}

}  // namespace
}  // namespace feedrate
