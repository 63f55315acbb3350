// SPDX-License-Identifier: Apache-2.0
// Objects and folders on a server: the counterpart of core/host/file.h.
#pragma once
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/units.h"
#include "formats/remote/object_client.h"
#include "formats/remote/s3_xml.h"

namespace feedrate {

struct RemoteFolder {
  std::vector<ListedObject> objects;  ///< by names relative to the folder, sorted
  std::vector<std::string> folders;   ///< names without slash, sorted; none in a deep listing
};

/// Throws ServerError for a list with more names than any dataset of files should have, or with
/// many nearly empty pages.
void require_end_of_list(const std::string& folder, std::size_t names, std::size_t pages);

/// Used by one thread of one process, as ObjectClient. Throws as ObjectClient::wait().
class RemoteObjects {
 public:
  /// `requests_in_flight`: maximum number of expected reads sent at a time.
  explicit RemoteObjects(int requests_in_flight = 1) : in_flight_(requests_in_flight) {}

  /// Empty if there is no such object, or if `if_allowed` and the server answers 401 or 403: a
  /// client that may not list a bucket gets these for a missing object.
  [[nodiscard]] std::optional<ObjectInfo> info(const std::string& path, bool if_allowed = false);

  /// Lists objects of S3; always empty for http, which has no folders. Stops after the page with
  /// the `most`th name. Limits: a page has 8 MiB, a list as in require_end_of_list().
  [[nodiscard]] RemoteFolder list(const std::string& folder, bool deep,
                                  std::size_t most = SIZE_MAX);

  /// Reads `range` of an object, or all of it. A non-empty `etag` must still match. Uses the
  /// response of expect() if there is one. Empty if there is no such object. Valid until the next
  /// call.
  [[nodiscard]] std::optional<Bytes> read(const std::string& path, std::string_view etag,
                                          std::optional<ObjectRange> range);

  /// Announces reads, in this order; send() sends the first of them. The first call after send()
  /// cancels earlier reads that are still expected.
  void expect(const std::string& path, std::string_view etag, std::optional<ObjectRange> range);
  void send();

 private:
  struct Wanted {
    ObjectRequest request;
    ObjectClient::TransferPtr transfer;  ///< null until sent
  };

  ObjectClient& client();
  [[nodiscard]] std::optional<Bytes> answer(ObjectClient::TransferPtr transfer);

  int in_flight_;
  std::unique_ptr<ObjectClient> client_;  ///< null until the first request
  std::deque<Wanted> wanted_;
  bool was_sent_ = false;
  ObjectClient::TransferPtr last_;  ///< owns the bytes returned last
};

}  // namespace feedrate
