#include "ranks/secret.h"

#include <cerrno>

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <sys/random.h>

#include "core/error.h"

namespace feedrate {
namespace {

std::string random_bytes(std::size_t size) {
  std::string bytes(size, '\0');
  // So few bytes come whole.
  if (::getrandom(bytes.data(), size, 0) != static_cast<ssize_t>(size)) {
    throw SystemError("random numbers", "the kernel gives none", errno);
  }
  return bytes;
}

}  // namespace

std::string make_secret() {
  std::string text;
  for (const char byte : random_bytes(kNonceBytes)) {
    text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  }
  return text;
}

std::string make_nonce() { return random_bytes(kNonceBytes); }

std::string mac_of(std::string_view secret, std::string_view text) {
  std::string mac(kMacBytes, '\0');
  unsigned int size = 0;
  const auto* const done = ::HMAC(::EVP_sha256(), secret.data(), static_cast<int>(secret.size()),
                                  reinterpret_cast<const unsigned char*>(text.data()), text.size(),
                                  reinterpret_cast<unsigned char*>(mac.data()), &size);
  if (done == nullptr || size != kMacBytes) throw Error("HMAC-SHA256: OpenSSL refuses it");
  return mac;
}

bool is_same_mac(std::string_view a, std::string_view b) noexcept {
  return a.size() == b.size() && ::CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace feedrate
