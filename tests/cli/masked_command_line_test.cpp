// SPDX-License-Identifier: Apache-2.0
#include "cli/masked_command_line.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace feedrate::testing {
namespace {

TEST(MaskedCommandLine, has_no_value_whose_name_says_that_it_is_secret) {
  const std::vector<std::pair<std::string, std::string>> masked{
      {"--api-key=s3cr3t", "--api-key=***"},
      {"--api-key=s3,c&r=3 t", "--api-key=***"},
      {"--wandb.apiKey=s3cr3t", "--wandb.apiKey=***"},
      {"HF_TOKEN=s3cr3t", "HF_TOKEN=***"},
      {"DB_PASSWORD_PROD=s3cr3t", "DB_PASSWORD_PROD=***"},
      {"+logger.api_key=s3cr3t", "+logger.api_key=***"},
      {"key=s3cr3t", "key=***"},
      {"aws_secret_access_key=s3cr3t", "aws_secret_access_key=***"},
      {"https://h/a?x=1&X-Amz-Signature=s3cr3t&y=2", "https://h/a?x=1&X-Amz-Signature=***&y=2"},
      {R"({"auth_token": "s3 cr3t", "lr": 1})", R"({"auth_token": "***", "lr": 1})"},
      {"import w; w.login(key='s3cr3t')", "import w; w.login(key='***')"},
  };
  for (const auto& [argument, expected] : masked) {
    EXPECT_EQ(masked_command_line({"train.py", argument}), "train.py " + expected);
  }
}

TEST(MaskedCommandLine, has_no_secret_in_an_argument_of_its_own) {
  EXPECT_EQ(masked_command_line({"--token", "s3cr3t", "--lr", "0.1"}), "--token *** --lr 0.1");
  EXPECT_EQ(masked_command_line({"--password", "--lr", "0.1"}), "--password --lr 0.1");
}

TEST(MaskedCommandLine, has_no_password_of_a_url) {
  EXPECT_EQ(masked_command_line({"https://me:s3cr3t@host/a"}), "https://me:***@host/a");
  EXPECT_EQ(masked_command_line({"redis://:p@ss@host:6379/0"}), "redis://:***@host:6379/0");
  EXPECT_EQ(masked_command_line({"s3://bucket/a@b:c"}), "s3://bucket/a@b:c");
}

TEST(MaskedCommandLine, has_no_key_of_a_known_form) {
  EXPECT_EQ(masked_command_line({"run", "AKIAIOSFODNN7EXAMPLE", "hf_abcdefghijklmnopqrst"}),
            "run *** ***");
}

TEST(MaskedCommandLine, keeps_what_is_no_secret) {
  for (const std::string argument :
       {"--epochs=90", "--tokenizer=gpt2", "--max-tokens=4096", "--image_key=jpg", "--sort-key=x",
        "s3://bucket/key", "c.yaml", "--axis", "num_workers=0,2", "/a/b:c", "", "lr=1e-3"}) {
    EXPECT_EQ(masked_command_line({argument}), argument);
  }
}

}  // namespace
}  // namespace feedrate::testing
