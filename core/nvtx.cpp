// SPDX-License-Identifier: Apache-2.0
#include "core/nvtx.h"

#ifdef FEEDRATE_HAVE_NVTX

#include <nvtx3/nvToolsExt.h>

namespace feedrate {
namespace {

// Null without a tool. NVTX looks for the tool once, at the first range.
nvtxDomainHandle_t domain() noexcept {
  static const nvtxDomainHandle_t kDomain = nvtxDomainCreateA("feedrate");
  return kDomain;
}

void push(const char* name, std::uint64_t number) noexcept {
  if (domain() == nullptr) return;
  nvtxEventAttributes_t attributes{};
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  attributes.payloadType = NVTX_PAYLOAD_TYPE_UNSIGNED_INT64;
  attributes.payload.ullValue = number;
  attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
  attributes.message.ascii = name;
  nvtxDomainRangePushEx(domain(), &attributes);
}

void pop() noexcept {
  if (domain() != nullptr) nvtxDomainRangePop(domain());
}

}  // namespace

NvtxRange::NvtxRange(const char* name, std::uint64_t number) noexcept { push(name, number); }
NvtxRange::~NvtxRange() { pop(); }

void NvtxRange::next(const char* name, std::uint64_t number) noexcept {
  pop();
  push(name, number);
}

std::string describe_nvtx() {
  if (domain() != nullptr) return "a tool is attached";
  return "no tool is attached (NVTX_INJECTION64_PATH, set by nsys, is unset)";
}

}  // namespace feedrate

#else

namespace feedrate {

NvtxRange::NvtxRange(const char* /*name*/, std::uint64_t /*number*/) noexcept {}
NvtxRange::~NvtxRange() = default;
void NvtxRange::next(const char* /*name*/, std::uint64_t /*number*/) noexcept {}

std::string describe_nvtx() {
  return "not built in: nvtx3/nvToolsExt.h of the CUDA toolkit was not found at build time";
}

}  // namespace feedrate

#endif
