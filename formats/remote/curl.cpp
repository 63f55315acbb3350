// SPDX-License-Identifier: Apache-2.0
#include "formats/remote/curl.h"

#include "core/error.h"
#include "core/shared_library.h"

namespace feedrate {
namespace {

Curl open_curl() {
  // Never unloaded, because its TLS library leaves exit hooks.
  static const LibraryFound found = find_library({.names = {"libcurl.so.4", "libcurl-gnutls.so.4"},
                                                  .environment_variable = "FEEDRATE_LIBCURL",
                                                  .keep_loaded = true});
  if (!found.library) {
    throw ServerError("reading s3:// and http:// needs libcurl: " + found.problem +
                      "; install libcurl4 (Debian, Ubuntu) or libcurl (RHEL, SLES)");
  }
  Curl curl;
  CURLcode (*global_init)(long flags) = nullptr;
  SymbolLoader symbols(found.library);
  symbols.required(global_init, "curl_global_init");
  symbols.required(curl.easy_init, "curl_easy_init");
  symbols.required(curl.easy_setopt, "curl_easy_setopt");
  symbols.required(curl.easy_getinfo, "curl_easy_getinfo");
  symbols.required(curl.easy_reset, "curl_easy_reset");
  symbols.required(curl.easy_cleanup, "curl_easy_cleanup");
  symbols.required(curl.easy_strerror, "curl_easy_strerror");
  symbols.required(curl.multi_init, "curl_multi_init");
  symbols.required(curl.multi_setopt, "curl_multi_setopt");
  symbols.required(curl.multi_add_handle, "curl_multi_add_handle");
  symbols.required(curl.multi_remove_handle, "curl_multi_remove_handle");
  symbols.required(curl.multi_perform, "curl_multi_perform");
  symbols.required(curl.multi_wait, "curl_multi_wait");
  symbols.required(curl.multi_info_read, "curl_multi_info_read");
  symbols.required(curl.multi_cleanup, "curl_multi_cleanup");
  symbols.required(curl.slist_append, "curl_slist_append");
  symbols.required(curl.slist_free_all, "curl_slist_free_all");
  if (!symbols.problem().empty()) throw ServerError(symbols.problem());
  global_init(CURL_GLOBAL_DEFAULT);
  return curl;
}

}  // namespace

const Curl& curl() {
  static const Curl functions = open_curl();
  return functions;
}

}  // namespace feedrate
