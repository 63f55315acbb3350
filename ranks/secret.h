// What the ranks of a job know and nobody else does, and how they prove it. Any thread.
#pragma once
#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace feedrate {

inline constexpr std::size_t kNonceBytes = 32;
inline constexpr std::size_t kMacBytes = 32;
inline constexpr std::size_t kLeastSecret = 16;

/// 64 hexadecimal digits, from the kernel's random numbers. Throws SystemError.
[[nodiscard]] std::string make_secret();
/// A number that is used once. Throws SystemError.
[[nodiscard]] std::string make_nonce();

/// HMAC-SHA256, kMacBytes.
[[nodiscard]] std::string mac_of(std::string_view secret, std::string_view text);
/// In a time that does not tell where they differ.
[[nodiscard]] bool is_same_mac(std::string_view a, std::string_view b) noexcept;

}  // namespace feedrate
