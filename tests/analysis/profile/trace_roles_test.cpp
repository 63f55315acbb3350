// SPDX-License-Identifier: Apache-2.0
#include "analysis/profile/trace_roles.h"

#include <gtest/gtest.h>

namespace feedrate {
namespace {

TraceEvent event(std::string_view category, std::string_view name = "x") {
  TraceEvent made;
  made.category = category;
  made.name = name;
  return made;
}

Role role(std::string_view category, std::string_view name = "x") {
  const TraceEvent made = event(category, name);
  return role_of(trace_category(made), made);
}

std::pair<MemoryKind, MemoryKind> ends(std::string_view name) {
  return copy_ends(event("gpu_memcpy", name));
}

TEST(TraceRoles, categories_of_all_layouts_and_vendors) {
  EXPECT_EQ(role("kernel"), Role::kKernel);
  for (const char* name : {"gpu_memcpy", "memcpy", "mlu_memcpy"}) {
    EXPECT_EQ(role(name), Role::kMemcpy) << name;
  }
  for (const char* name : {"gpu_memset", "memset"}) EXPECT_EQ(role(name), Role::kMemset) << name;
  for (const char* name :
       {"cuda_runtime", "runtime", "mtia_runtime", "glow_runtime", "xpu_runtime",
        "privateuse1_runtime", "cuda_driver", "xpu_driver", "privateuse1_driver"}) {
    EXPECT_EQ(role(name), Role::kRuntime) << name;
  }
  for (const char* name : {"cpu_op", "operator", "python", "user_annotation"}) {
    EXPECT_EQ(role(name), Role::kCpuExec) << name;
  }
  for (const char* name :
       {"python_function", "cuda_sync", "cuda_event", "overhead", "ac2g", "fwdbwd", "Kernel", "",
        "cuda_profiler_range", "mtia_insight", "xpu_sync"}) {
    EXPECT_EQ(trace_category(event(name)), TraceCategory::kOther) << name;
  }
}

TEST(TraceRoles, the_copy_of_a_host_range_on_the_gpu_is_no_work) {
  for (const char* name : {"x", "nccl:all_reduce", "enumerate(DataLoader)#x.__next__"}) {
    EXPECT_EQ(trace_category(event("gpu_user_annotation", name)), TraceCategory::kOther) << name;
  }
}

TEST(TraceRoles, all_work_of_mtia_has_one_category) {
  EXPECT_EQ(role("mtia_ccp_events", "add-dtype_Float"), Role::kKernel);
  EXPECT_EQ(role("mtia_ccp_events", "dma_request"), Role::kMemcpy);
  EXPECT_EQ(trace_category(event("mtia_ccp_events", "event_wait")), TraceCategory::kOther);
}

TEST(TraceRoles, categories_name_the_accelerator_unless_it_is_cuda) {
  EXPECT_EQ(accelerator_of("xpu_runtime"), "XPU");
  EXPECT_EQ(accelerator_of("mtia_ccp_events"), "MTIA");
  for (const char* name : {"cuda_runtime", "cuda_driver", "gpu_memcpy", "kernel", "cpu_op", ""}) {
    EXPECT_EQ(accelerator_of(name), "") << name;
  }
}

TEST(TraceRoles, a_kernel_that_names_its_collective_communicates) {
  TraceEvent made = event("kernel", "mscclpp");
  made.is_collective = true;
  EXPECT_EQ(role_of(trace_category(made), made), Role::kCommunication);
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

TEST(TraceRoles, source_and_target_of_a_copy_are_in_its_name) {
  using enum MemoryKind;
  EXPECT_EQ(ends("Memcpy HtoD (Pageable -> Device)"), std::pair(kPageable, kDevice));
  EXPECT_EQ(ends("Memcpy HtoD (Pinned -> Device)"), std::pair(kPinned, kDevice));
  EXPECT_EQ(ends("Memcpy DtoH (Device -> Pinned)"), std::pair(kDevice, kPinned));
  EXPECT_EQ(ends("Memcpy DtoD (Device -> Device)"), std::pair(kDevice, kDevice));
  EXPECT_EQ(ends("Memcpy HtoD"), std::pair(kUnknown, kDevice));
  EXPECT_EQ(ends("Memcpy HtoD (Host -> Device)"), std::pair(kUnknown, kDevice));
  TraceEvent mtia = event("mtia_ccp_events", "dma_request");
  mtia.direction = "DEVICE_TO_HOST";
  EXPECT_EQ(copy_ends(mtia), std::pair(kDevice, kUnknown));
  for (const char* name : {"", ") -> (", " -> ", "(", "( -> "}) {
    EXPECT_EQ(ends(name), std::pair(kUnknown, kUnknown)) << name;
  }
}

}  // namespace
}  // namespace feedrate
