// SPDX-License-Identifier: Apache-2.0
// The system's libcurl, loaded when the first object is read: its TLS knows the system's
// certificates and gets the system's updates. Any thread.
#pragma once
#define CURL_DISABLE_DEPRECATION  // RHEL 8's libcurl lacks the replacements.
#include <memory>

#include <curl/curl.h>

namespace feedrate {

/// libcurl's functions, by their names.
struct Curl {
  decltype(&::curl_easy_init) easy_init = nullptr;
  // Variadic, so called through pointers of their own types, as C requires.
  decltype(&::curl_easy_setopt) easy_setopt = nullptr;
  decltype(&::curl_easy_getinfo) easy_getinfo = nullptr;
  decltype(&::curl_easy_reset) easy_reset = nullptr;
  decltype(&::curl_easy_cleanup) easy_cleanup = nullptr;
  decltype(&::curl_easy_strerror) easy_strerror = nullptr;
  decltype(&::curl_multi_init) multi_init = nullptr;
  decltype(&::curl_multi_setopt) multi_setopt = nullptr;
  decltype(&::curl_multi_add_handle) multi_add_handle = nullptr;
  decltype(&::curl_multi_remove_handle) multi_remove_handle = nullptr;
  decltype(&::curl_multi_perform) multi_perform = nullptr;
  decltype(&::curl_multi_wait) multi_wait = nullptr;
  decltype(&::curl_multi_info_read) multi_info_read = nullptr;
  decltype(&::curl_multi_cleanup) multi_cleanup = nullptr;
  decltype(&::curl_slist_append) slist_append = nullptr;
  decltype(&::curl_slist_free_all) slist_free_all = nullptr;
};

/// Loads libcurl on the first call. Throws ServerError, naming packages to install, if there is
/// none.
[[nodiscard]] const Curl& curl();

struct FreeCurlList {
  void operator()(curl_slist* list) const noexcept { curl().slist_free_all(list); }
};
using CurlList = std::unique_ptr<curl_slist, FreeCurlList>;

}  // namespace feedrate
