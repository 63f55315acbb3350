// SPDX-License-Identifier: Apache-2.0
// Names of transports, as in sweeps. Safe from any thread.
#pragma once
#include "loaders/options.h"

namespace feedrate::testing {

inline const char* transport_name(Transport transport) {
  switch (transport) {
    case Transport::kFresh:
      return "fresh";
    case Transport::kFileSystem:
      return "file_system";
    case Transport::kRing:
      break;
  }
  return "ring";
}

}  // namespace feedrate::testing
