// SPDX-License-Identifier: Apache-2.0
#include "formats/remote/remote_path.h"

#include <gtest/gtest.h>

#include "core/error.h"

namespace feedrate {
namespace {

TEST(RemotePath, is_recognized_by_its_scheme) {
  EXPECT_TRUE(is_remote("s3://bucket/key"));
  EXPECT_TRUE(is_remote("https://host/path"));
  EXPECT_FALSE(is_remote("data/s3://bucket"));
  EXPECT_FALSE(is_remote("s3:/bucket"));
}

TEST(RemotePath, has_a_host_and_a_key) {
  const RemotePath path = parse_remote_path("s3://bucket/a b/c%20d.tar");
  EXPECT_EQ(path.scheme, "s3");
  EXPECT_EQ(path.host, "bucket");
  EXPECT_EQ(path.key, "a b/c%20d.tar");
  EXPECT_EQ(parse_remote_path("http://127.0.0.1:80").host, "127.0.0.1:80");
  EXPECT_EQ(parse_remote_path("s3://bucket").key, "");
  EXPECT_EQ(parse_remote_path("s3://bucket/").key, "");
}

TEST(RemotePath, without_a_bucket_is_refused) {
  EXPECT_THROW(static_cast<void>(parse_remote_path("s3:///key")), ConfigError);
}

TEST(RemotePath, that_would_add_a_header_is_refused) {
  for (const char* path : {"s3://a\r\nX: y/key", "s3://a b/key", "http://host\n/a.tar",
                           "http://host/a\r\nX: y.tar", "https://host/a b.tar"}) {
    EXPECT_THROW(static_cast<void>(parse_remote_path(path)), ConfigError) << path;
  }
  EXPECT_EQ(parse_remote_path("s3://bucket/a\nb").key, "a\nb");  // Keys are percent-encoded.
}

// Results print paths, with password and signature.
TEST(RemotePath, with_a_password_or_a_signature_is_refused) {
  EXPECT_THROW(static_cast<void>(parse_remote_path("https://me:secret@host/a.tar")), ConfigError);
  EXPECT_THROW(static_cast<void>(parse_remote_path("https://host/a.tar?X-Amz-Signature=1")),
               ConfigError);
  EXPECT_EQ(parse_remote_path("s3://bucket/a@b?c").key, "a@b?c");
}

TEST(PercentEncoding, is_that_of_signatures) {
  EXPECT_EQ(percent_encode("a b/c+d~e_f-g.h", true), "a%20b/c%2Bd~e_f-g.h");
  EXPECT_EQ(percent_encode("a/b", false), "a%2Fb");
  EXPECT_EQ(percent_encode("ü", true), "%C3%BC");
}

TEST(PercentEncoding, is_undone) {
  EXPECT_EQ(percent_decode("a%20b%2fc%C3%BC"), "a b/cü");
  EXPECT_EQ(percent_decode("100%"), "100%");
  EXPECT_EQ(percent_decode("%zz%4"), "%zz%4");
  EXPECT_EQ(percent_decode("%-1"), "%-1");
}

}  // namespace
}  // namespace feedrate
