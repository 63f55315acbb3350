// SPDX-License-Identifier: Apache-2.0
// What lies below a path of a server, and in its objects: what core/host/file.h is for the files of
// the system.
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

/// Throws ServerError for a list that goes on after more names than any dataset of files should
/// have, or after many pages with hardly any.
void require_end_of_list(const std::string& folder, std::size_t names, std::size_t pages);

/// One thread of one process, as ObjectClient. Functions throw as ObjectClient::wait() does.
class RemoteObjects {
 public:
  /// `requests_in_flight`: how many of those that are expected are under way at a time.
  explicit RemoteObjects(int requests_in_flight = 1) : in_flight_(requests_in_flight) {}

  /// Empty where there is no such object, and where it is refused and `if_allowed`: who may not
  /// list a bucket is refused what is not there.
  [[nodiscard]] std::optional<ObjectInfo> info(const std::string& path, bool if_allowed = false);

  /// Of S3 only: http has no folders, and is answered with nothing. No further page is asked for
  /// once there are `most` objects. A page has 8 MiB at most, a list an end: see
  /// require_end_of_list().
  [[nodiscard]] RemoteFolder list(const std::string& folder, bool deep,
                                  std::size_t most = SIZE_MAX);

  /// Bytes of an object, or the whole object without a range; its `etag` must still be the same
  /// where it is not empty. Takes what was expected. Empty where there is no such object. Valid
  /// until the next call.
  [[nodiscard]] std::optional<Bytes> read(const std::string& path, std::string_view etag,
                                          std::optional<ObjectRange> range);

  /// Says what is going to be read, in this order; send() then sends the first of them. What was
  /// expected before and not read is given up with the first new one.
  void expect(const std::string& path, std::string_view etag, std::optional<ObjectRange> range);
  void send();

 private:
  struct Wanted {
    ObjectRequest request;
    ObjectClient::TransferPtr transfer;  ///< none yet where others come first
  };

  ObjectClient& client();
  [[nodiscard]] std::optional<Bytes> answer(ObjectClient::TransferPtr transfer);

  int in_flight_;
  std::unique_ptr<ObjectClient> client_;  ///< made with the first request
  std::deque<Wanted> wanted_;
  bool was_sent_ = false;
  ObjectClient::TransferPtr last_;  ///< whose bytes were handed out
};

}  // namespace feedrate
