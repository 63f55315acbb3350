// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/nvjpeg_library.h"

#include <string>

#include <fmt/format.h>

#include "core/error.h"
#include "device/nvidia_folders.h"

namespace feedrate::nvjpeg {

namespace {

void look_up(SymbolLoader& loader, Functions& functions) {
#define FEEDRATE_LOAD(name) loader.required(functions.name, "nvjpeg" #name)
  FEEDRATE_LOAD(GetProperty);
  FEEDRATE_LOAD(CreateEx);
  FEEDRATE_LOAD(Destroy);
  FEEDRATE_LOAD(JpegStateCreate);
  FEEDRATE_LOAD(JpegStateDestroy);
  FEEDRATE_LOAD(JpegStreamCreate);
  FEEDRATE_LOAD(JpegStreamParseHeader);
  FEEDRATE_LOAD(JpegStreamDestroy);
  FEEDRATE_LOAD(DecodeBatchedSupported);
  FEEDRATE_LOAD(DecodeBatchedInitialize);
  FEEDRATE_LOAD(DecodeBatched);
#undef FEEDRATE_LOAD
}

}  // namespace

LibrarySearch library_search() {
  return {.names = {"libnvjpeg.so.13", "libnvjpeg.so.12"},
          .environment_variable = "FEEDRATE_NVJPEG",
          .folders = nvidia_folders(),
          // torch bundles none, torchvision a renamed one: libnvjpeg.4a0b5c81.so.13.
          .files = python_packages("torchvision.libs/libnvjpeg*.so.1[23]*"),
          .keep_loaded = true};  // Its kernels stay in the CUDA context.
}

Library::Library(const LibrarySearch& search)
    : loaded_(require_api(
          search, "nvJPEG, which decoder nvjpeg needs",
          "it is part of the CUDA toolkit, and of Python's nvidia-nvjpeg and torchvision",
          look_up)) {}

std::string Library::version() const {
  int major = 0;
  int minor = 0;
  check(functions().GetProperty(kMajorVersion, &major), "nvjpegGetProperty");
  check(functions().GetProperty(kMinorVersion, &minor), "nvjpegGetProperty");
  return fmt::format("{}.{}", major, minor);
}

std::string describe() try { return Library().name(); } catch (const DeviceError& error) {
  return error.what();
}

std::string why_not_found() try {
  Library();
  return {};
} catch (const DeviceError& error) {
  return error.what();
}

void Library::check(int status, std::string_view call) {
  if (status == kSuccess) return;
  const std::string text = fmt::format("nvJPEG: {}: status {}, see nvjpegStatus_t", call, status);
  if (status == kBadJpeg || status == kNotSupported || status == kIncomplete) {
    throw FormatError(text);
  }
  throw DeviceError(text);
}

}  // namespace feedrate::nvjpeg
