// SPDX-License-Identifier: Apache-2.0
#include "formats/remote/endpoint.h"

#include <gtest/gtest.h>

namespace feedrate {
namespace {

std::string url_of(std::string_view path, const S3Settings& settings = {}) {
  const ObjectUrl url = object_url(parse_remote_path(path), settings);
  return url.origin + url.path;
}

TEST(ObjectUrl, of_aws_has_the_bucket_in_the_host) {
  EXPECT_EQ(url_of("s3://data/a b.tar", {.region = "eu-west-1"}),
            "https://data.s3.eu-west-1.amazonaws.com/a%20b.tar");
  EXPECT_EQ(url_of("s3://data/a", {.region = "cn-north-1"}),
            "https://data.s3.cn-north-1.amazonaws.com.cn/a");
  EXPECT_EQ(url_of("s3://data.org/a"), "https://s3.us-east-1.amazonaws.com/data.org/a");
  EXPECT_EQ(url_of("s3://data"), "https://data.s3.us-east-1.amazonaws.com/");
}

TEST(ObjectUrl, of_an_endpoint_has_the_bucket_in_the_path) {
  EXPECT_EQ(url_of("s3://data/a/b", {.endpoint = "http://lab:9000"}), "http://lab:9000/data/a/b");
  EXPECT_EQ(url_of("s3://data/a", {.endpoint = "https://lab/storage"}),
            "https://lab/storage/data/a");
  EXPECT_EQ(url_of("s3://data", {.endpoint = "http://lab"}), "http://lab/data");
}

TEST(ObjectUrl, of_http_is_left_as_it_is) {
  EXPECT_EQ(url_of("https://host:8443/a%20b/c"), "https://host:8443/a%20b/c");
}

TEST(ObjectUrl, has_the_host_as_its_header_has_it) {
  const auto host_of = [](const std::string& endpoint) {
    return object_url(parse_remote_path("s3://b/k"), {.endpoint = endpoint}).host;
  };
  EXPECT_EQ(host_of("http://lab:9000"), "lab:9000");
  EXPECT_EQ(host_of("https://lab:443"), "lab");
  EXPECT_EQ(host_of("http://lab:80/x"), "lab");
  EXPECT_EQ(host_of("http://lab:443"), "lab:443");
}

}  // namespace
}  // namespace feedrate
