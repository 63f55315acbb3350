// SPDX-License-Identifier: Apache-2.0
// NVIDIA's JPEG decoder, opened at run time: only `decoder: nvjpeg` needs it. The functions in use
// are declared here, so that the build needs neither its header nor the library;
// cuda_jpeg_decoder.cpp checks the declarations against the header where there is one. Needs no
// CUDA header.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "core/shared_library.h"

struct CUstream_st;

namespace feedrate::nvjpeg {

// All enumerators and opaque pointers by value; see nvjpeg.h.
inline constexpr int kSuccess = 0;
inline constexpr int kBadJpeg = 3;
inline constexpr int kNotSupported = 4;
inline constexpr int kIncomplete = 10;
inline constexpr int kDefaultBackend = 0;
inline constexpr int kHardwareBackend = 3;
inline constexpr int kInterleavedRgb = 5;  // NVJPEG_OUTPUT_RGBI
inline constexpr int kMajorVersion = 0;    // MAJOR_VERSION
inline constexpr int kMinorVersion = 1;    // MINOR_VERSION

struct Image {
  unsigned char* channel[4];
  std::size_t pitch[4];
};

/// The library's functions, without their prefix.
struct Functions {
  int (*GetProperty)(int type, int* value);
  int (*CreateEx)(int backend, void* device_allocator, void* pinned_allocator, unsigned int flags,
                  void** handle);
  int (*Destroy)(void* handle);
  int (*JpegStateCreate)(void* handle, void** state);
  int (*JpegStateDestroy)(void* state);
  int (*JpegStreamCreate)(void* handle, void** stream);
  int (*JpegStreamParseHeader)(void* handle, const unsigned char* data, std::size_t length,
                               void* stream);
  int (*JpegStreamDestroy)(void* stream);
  int (*DecodeBatchedSupported)(void* handle, void* stream, int* is_unsupported);
  int (*DecodeBatchedInitialize)(void* handle, void* state, int batch_size, int threads,
                                 int output_format);
  int (*DecodeBatched)(void* handle, void* state, const unsigned char* const* files,
                       const std::size_t* lengths, Image* targets, CUstream_st* stream);
};

/// "libnvjpeg.so.13", or why it cannot be loaded.
[[nodiscard]] std::string describe();

/// Why the library cannot be loaded; empty if it can.
[[nodiscard]] std::string why_not_found();

[[nodiscard]] LibrarySearch library_search();

class Library {
 public:
  /// Throws DeviceError that lists the tried files and a remedy.
  explicit Library(const LibrarySearch& search = library_search());

  [[nodiscard]] const Functions& functions() const noexcept { return loaded_.api; }
  [[nodiscard]] const std::string& name() const noexcept { return loaded_.file.name(); }
  /// "13.0"
  [[nodiscard]] std::string version() const;
  /// Throws FormatError if `status` blames a file, and DeviceError for any other status but
  /// kSuccess.
  static void check(int status, std::string_view call);

 private:
  LoadedApi<Functions> loaded_;
};

}  // namespace feedrate::nvjpeg
