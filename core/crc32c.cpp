// SPDX-License-Identifier: Apache-2.0
#include "core/crc32c.h"

#include <bit>
#include <cstring>

#include <boost/crc.hpp>
#include <libdeflate.h>

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace feedrate {
namespace {

#if defined(__x86_64__)

bool has_instruction() noexcept {
  static const bool has = __builtin_cpu_supports("sse4.2") != 0;
  return has;
}

__attribute__((target("sse4.2"))) std::uint32_t by_instruction(Bytes bytes) noexcept {
  std::uint64_t crc = 0xFFFFFFFF;
  for (; bytes.size() >= sizeof(std::uint64_t); bytes = bytes.subspan(sizeof(std::uint64_t))) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data(), sizeof(word));
    crc = _mm_crc32_u64(crc, word);
  }
  auto checksum = static_cast<std::uint32_t>(crc);
  for (const std::byte byte : bytes)
    checksum = _mm_crc32_u8(checksum, std::to_integer<unsigned char>(byte));
  return ~checksum;
}

#else

bool has_instruction() noexcept { return false; }
std::uint32_t by_instruction(Bytes bytes) noexcept { return crc32c_by_table(bytes); }

#endif

}  // namespace

std::uint32_t crc32c(Bytes bytes) noexcept {
  return has_instruction() ? by_instruction(bytes) : crc32c_by_table(bytes);
}

std::uint32_t crc32c_by_table(Bytes bytes) noexcept {
  boost::crc_optimal<32, 0x1EDC6F41, 0xFFFFFFFF, 0xFFFFFFFF, true, true> crc;
  crc.process_bytes(bytes.data(), bytes.size());
  return crc.checksum();
}

std::uint32_t masked_crc32c(Bytes bytes) noexcept {
  return std::rotr(crc32c(bytes), 15) + 0xA282EAD8U;
}

std::uint32_t crc32(Bytes bytes) noexcept {
  return libdeflate_crc32(0, bytes.data(), bytes.size());
}

}  // namespace feedrate
