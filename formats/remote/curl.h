// SPDX-License-Identifier: Apache-2.0
// The system's libcurl, opened when the first object is read: its TLS knows where this system keeps
// its certificates, and gets the system's updates. Any thread.
#pragma once
#define CURL_DISABLE_DEPRECATION  // The options of newer ones are unknown to that of RHEL 8.
#include <memory>

#include <curl/curl.h>

namespace feedrate {

/// libcurl's functions, by their names.
struct Curl {
  decltype(&::curl_easy_init) easy_init = nullptr;
  // Of variable arguments: called through pointers of their own types, as C does.
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

/// Throws ServerError that says what to install where there is no libcurl.
[[nodiscard]] const Curl& curl();

struct FreeCurlList {
  void operator()(curl_slist* list) const noexcept { curl().slist_free_all(list); }
};
using CurlList = std::unique_ptr<curl_slist, FreeCurlList>;

}  // namespace feedrate
