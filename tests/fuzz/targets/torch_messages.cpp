// SPDX-License-Identifier: Apache-2.0
// A message of the Python child.
#include "bench/engines/torch/messages.h"
#include "tests/fuzz/harness.h"
#include "tests/fuzz/targets.h"

namespace feedrate::fuzz {

bool torch_messages(Bytes input) {
  return accepts([&] {
    const TorchMessage message = parse_torch_message(text_of(input));
    if (const auto* failure = std::get_if<TorchFailure>(&message)) touch(to_string(*failure));
  });
}

}  // namespace feedrate::fuzz
