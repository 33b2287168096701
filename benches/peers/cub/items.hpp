// Items that the benches' cases are made of.
#pragma once

#include <cstdint>

// A hash of a position: the same as in ../../harness/cases.rs.
inline uint32_t mixed(uint32_t i) {
  uint32_t h = i * 2654435761u;
  h = (h ^ h >> 16) * 0x7feb352du;
  h = (h ^ h >> 15) * 0x846ca68bu;
  return h ^ h >> 16;
}
