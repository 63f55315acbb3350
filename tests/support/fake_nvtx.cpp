// SPDX-License-Identifier: Apache-2.0
#include "tests/support/fake_nvtx.h"

#include <nvtx3/nvToolsExt.h>

namespace {

feedrate::testing::FakeNvtxSeen& seen() {
  static feedrate::testing::FakeNvtxSeen seen;
  return seen;
}

nvtxDomainHandle_t create_domain(const char* name) {
  seen().domains.emplace_back(name);
  return reinterpret_cast<nvtxDomainHandle_t>(&seen());
}

int push(nvtxDomainHandle_t, const nvtxEventAttributes_t* attributes) {
  ++seen().pushes[attributes->message.ascii];
  seen().payloads.push_back(attributes->payload.ullValue);
  return 0;
}

int pop(nvtxDomainHandle_t) { return ++seen().pops; }

template <typename Function>
void set(NvtxFunctionTable table, NvtxCallbackIdCore2 slot, Function* function) {
  *table[slot] = reinterpret_cast<NvtxFunctionPointer>(function);
}

}  // namespace

extern "C" const feedrate::testing::FakeNvtxSeen* fake_nvtx_seen() { return &seen(); }

extern "C" int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t export_table) {
  const auto* callbacks =
      static_cast<const NvtxExportTableCallbacks*>(export_table(NVTX_ETID_CALLBACKS));
  NvtxFunctionTable table = nullptr;
  unsigned size = 0;
  if (!callbacks || !callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &table, &size)) {
    return 0;
  }
  set(table, NVTX_CBID_CORE2_DomainCreateA, create_domain);
  set(table, NVTX_CBID_CORE2_DomainRangePushEx, push);
  set(table, NVTX_CBID_CORE2_DomainRangePop, pop);
  return 1;
}
