// SPDX-License-Identifier: Apache-2.0
#include "tests/support/fake_nvjpeg.h"

#include <cstddef>
#include <string_view>

#include "device/cuda/nvjpeg_library.h"

namespace {

using namespace feedrate::nvjpeg;

feedrate::testing::FakeNvjpeg& state() {
  static feedrate::testing::FakeNvjpeg state;
  return state;
}

struct Handle {
  int backend;
};

struct Batch {
  std::size_t size = 0;  // The prepared batch size; 0 after a failure.
};

struct Header {
  std::string text;
};

bool is_hardware(void* handle) { return static_cast<Handle*>(handle)->backend == kHardwareBackend; }

void record_call(void* handle, const std::string& call) {
  state().calls.push_back((is_hardware(handle) ? "hardware: " : "kernels: ") + call);
}

std::string text_of(const unsigned char* data, std::size_t length) {
  return {reinterpret_cast<const char*>(data), length};
}

}  // namespace

extern "C" {

feedrate::testing::FakeNvjpeg* fake_nvjpeg() { return &state(); }

int nvjpegGetProperty(int type, int* value) {
  *value = type == kMajorVersion ? 13 : 3;
  return kSuccess;
}

int nvjpegCreateEx(int backend, void*, void*, unsigned int, void** handle) {
  if (backend == kHardwareBackend && !state().has_hardware) return 7;
  *handle = new Handle{backend};
  return kSuccess;
}

int nvjpegDestroy(void* handle) {
  delete static_cast<Handle*>(handle);
  return kSuccess;
}

int nvjpegJpegStateCreate(void*, void** batch) {
  *batch = new Batch;
  return kSuccess;
}

int nvjpegJpegStateDestroy(void* batch) {
  delete static_cast<Batch*>(batch);
  return kSuccess;
}

int nvjpegJpegStreamCreate(void*, void** header) {
  *header = new Header;
  return kSuccess;
}

int nvjpegJpegStreamParseHeader(void*, const unsigned char* data, std::size_t length,
                                void* header) {
  std::string& text = static_cast<Header*>(header)->text;
  text = text_of(data, length);
  return text.starts_with("damaged") ? kBadJpeg : kSuccess;
}

int nvjpegJpegStreamDestroy(void* header) {
  delete static_cast<Header*>(header);
  return kSuccess;
}

int nvjpegDecodeBatchedSupported(void* handle, void* header, int* is_unsupported) {
  const bool is_progressive = static_cast<Header*>(header)->text.starts_with("progressive");
  *is_unsupported = is_hardware(handle) && is_progressive ? 1 : 0;
  return kSuccess;
}

int nvjpegDecodeBatchedInitialize(void* handle, void* batch, int size, int, int) {
  static_cast<Batch*>(batch)->size = static_cast<std::size_t>(size);
  record_call(handle, "prepare " + std::to_string(size));
  return kSuccess;
}

int nvjpegDecodeBatched(void* handle, void* opaque, const unsigned char* const* files,
                        const std::size_t* lengths, Image*, CUstream_st*) {
  auto& batch = *static_cast<Batch*>(opaque);
  if (batch.size == 0) return 1;
  std::string texts;
  for (std::size_t i = 0; i < batch.size; ++i) {
    texts += (i == 0 ? "" : ", ") + text_of(files[i], lengths[i]);
  }
  record_call(handle, "decode " + texts);
  int status = is_hardware(handle) ? state().hardware_status : state().kernels_status;
  if (texts.find("damaged") != std::string::npos) status = kBadJpeg;
  if (status != kSuccess) batch.size = 0;
  return status;
}
}
