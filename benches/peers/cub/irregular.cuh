// Cases of CUB's compactions: the same as in ../../harness/irregular, with CUB's calls for them. A
// new one is a line in irregular_cases, and a new primitive a few more.
#pragma once

#include "bench.cuh"
#include "items.hpp"

#include <cub/device/device_partition.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#include <cub/device/device_select.cuh>

#include <cuda/std/functional>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

using Words = std::vector<uint32_t>;

// Some of the items, and what they come to. Parts can be made by several threads.
struct Part {
  Words input, values, outputs[2];
};

// Items first to end, of n.
using Make = std::function<Part(uint32_t first, uint32_t end, uint32_t n)>;

// What a call works on.
struct Slices {
  uint32_t *input, *values, *outputs[2], *count;
  int n_values;
};

struct Irregular {
  const char *primitive, *op;
  Make make;
  std::function<Call(const Slices &, int n)> call;
  // A second output stands in the first behind the items before it, and from its end backwards.
  bool backwards;
  // How many items the first output has.
  bool counts = true;
};

struct Below {
  uint32_t threshold;
  __host__ __device__ bool operator()(uint32_t item) const { return item < threshold; }
};

inline void append(Words &all, const Words &more) { all.insert(all.end(), more.begin(), more.end()); }

// All n items and what they come to.
inline Part all_parts(const Make &make, uint32_t n) {
  uint32_t count = std::max(1u, std::thread::hardware_concurrency());
  std::vector<Part> parts(count);
  std::vector<std::thread> threads;
  for (uint32_t i = 0; i < count; ++i) {
    threads.emplace_back([&, i] {
      parts[i] = make(uint32_t(uint64_t(n) * i / count), uint32_t(uint64_t(n) * (i + 1) / count), n);
    });
  }
  for (std::thread &thread : threads) thread.join();
  Part all;
  size_t lengths[2] = {0, 0};
  for (const Part &part : parts) {
    for (int k : {0, 1}) lengths[k] += part.outputs[k].size();
  }
  all.input.reserve(n);
  if (!parts[0].values.empty()) all.values.reserve(n);
  for (int k : {0, 1}) all.outputs[k].reserve(lengths[k]);
  for (Part &part : parts) {
    append(all.input, part.input);
    append(all.values, part.values);
    for (int k : {0, 1}) append(all.outputs[k], part.outputs[k]);
    part = Part();
  }
  return all;
}

// Hashes; those below a threshold are kept, and the others too if they are wanted.
inline Part selected(uint32_t first, uint32_t end, uint32_t threshold, bool others) {
  Part part;
  part.input.reserve(end - first);
  for (uint32_t i = first; i < end; ++i) {
    uint32_t item = mixed(i);
    part.input.push_back(item);
    if (item < threshold) part.outputs[0].push_back(item);
    else if (others) part.outputs[1].push_back(item);
  }
  return part;
}

// Whether a run begins there, of so many items on average.
inline bool is_head(uint32_t i, uint32_t mean) { return i == 0 || mixed(i) < UINT32_MAX / mean; }

// The item of a run that begins there: no two have the same.
inline uint32_t value(uint32_t head) { return head * 2654435761u; }

// Runs: the first item of each, and their lengths too if they are wanted.
inline Part in_runs(uint32_t first, uint32_t end, uint32_t n, uint32_t mean, bool lengths) {
  Part part;
  part.input.reserve(end - first);
  uint32_t head = first;
  while (head > 0 && !is_head(head, mean)) --head;
  Words heads;
  for (uint32_t i = first; i < end; ++i) {
    if (is_head(i, mean)) {
      head = i;
      heads.push_back(i);
      part.outputs[0].push_back(value(i));
    }
    part.input.push_back(value(head));
  }
  if (!lengths) return part;
  uint32_t next = end;
  while (next < n && !is_head(next, mean)) ++next;
  heads.push_back(next);
  for (size_t i = 0; i + 1 < heads.size(); ++i) part.outputs[1].push_back(heads[i + 1] - heads[i]);
  return part;
}

// The value that goes with a key.
inline uint32_t value_of_key(uint32_t i) { return mixed(~i) >> 7; }

// Runs of keys, with the sum of each run's values, or the sums up to each.
inline Part by_key(uint32_t first, uint32_t end, uint32_t n, uint32_t mean, bool running) {
  Part part = in_runs(first, end, n, mean, false);
  part.values.reserve(end - first);
  for (uint32_t i = first; i < end; ++i) part.values.push_back(value_of_key(i));
  uint32_t i = first, sum = 0;
  if (running) {
    part.outputs[0].clear();
    while (i > 0 && !is_head(i, mean)) --i;
    for (; i < end; ++i) {
      sum = is_head(i, mean) ? value_of_key(i) : sum + value_of_key(i);
      if (i >= first) part.outputs[0].push_back(sum);
    }
    return part;
  }
  while (i < end && !is_head(i, mean)) ++i;
  while (i < end) {
    sum = value_of_key(i++);
    while (i < n && !is_head(i, mean)) sum += value_of_key(i++);
    part.outputs[1].push_back(sum);
  }
  return part;
}

inline Irregular select_case(const char *op, uint32_t threshold) {
  Make make = [=](uint32_t first, uint32_t end, uint32_t) { return selected(first, end, threshold, false); };
  auto call = [=](const Slices &on, int n) -> Call {
    return [=](void *t, size_t &b, cudaStream_t s) {
      return cub::DeviceSelect::If(t, b, on.input, on.outputs[0], on.count, n, Below{threshold}, s);
    };
  };
  return {"select", op, make, call, false};
}

// The others stand at the end of the output, the last of them first.
inline Irregular partition_case(const char *op, uint32_t threshold) {
  Make make = [=](uint32_t first, uint32_t end, uint32_t) { return selected(first, end, threshold, true); };
  auto call = [=](const Slices &on, int n) -> Call {
    return [=](void *t, size_t &b, cudaStream_t s) {
      return cub::DevicePartition::If(t, b, on.input, on.outputs[0], on.count, n, Below{threshold}, s);
    };
  };
  return {"partition", op, make, call, true};
}

inline Irregular unique_case(const char *op, uint32_t mean) {
  Make make = [=](uint32_t first, uint32_t end, uint32_t n) { return in_runs(first, end, n, mean, false); };
  auto call = [](const Slices &on, int n) -> Call {
    return [=](void *t, size_t &b, cudaStream_t s) {
      return cub::DeviceSelect::Unique(t, b, on.input, on.outputs[0], on.count, n, s);
    };
  };
  return {"unique", op, make, call, false};
}

inline Irregular rle_case(const char *op, uint32_t mean) {
  Make make = [=](uint32_t first, uint32_t end, uint32_t n) { return in_runs(first, end, n, mean, true); };
  auto call = [](const Slices &on, int n) -> Call {
    return [=](void *t, size_t &b, cudaStream_t s) {
      return cub::DeviceRunLengthEncode::Encode(t, b, on.input, on.outputs[0], on.outputs[1], on.count, n, s);
    };
  };
  return {"rle", op, make, call, false};
}

inline Irregular reduce_by_key_case(const char *op, uint32_t mean) {
  Make make = [=](uint32_t first, uint32_t end, uint32_t n) { return by_key(first, end, n, mean, false); };
  auto call = [](const Slices &on, int n) -> Call {
    return [=](void *t, size_t &b, cudaStream_t s) {
      return cub::DeviceReduce::ReduceByKey(t, b, on.input, on.outputs[0], on.values, on.outputs[1], on.count,
                                            ::cuda::std::plus<>{}, n, s);
    };
  };
  return {"reduce-by-key", op, make, call, false};
}

inline Irregular scan_by_key_case(const char *op, uint32_t mean) {
  Make make = [=](uint32_t first, uint32_t end, uint32_t n) { return by_key(first, end, n, mean, true); };
  auto call = [](const Slices &on, int n) -> Call {
    return [=](void *t, size_t &b, cudaStream_t s) {
      return cub::DeviceScan::InclusiveSumByKey(t, b, on.input, on.values, on.outputs[0], n,
                                                ::cuda::std::equal_to<>{}, s);
    };
  };
  return {"scan-by-key", op, make, call, false, false};
}

// Whether a segment begins at item i of n.
using Begins = bool (*)(uint32_t i, uint32_t n);

// Values, the offsets of segments and the end of the last, and their sums.
inline Part segments(uint32_t first, uint32_t end, uint32_t n, Begins begins) {
  Part part;
  part.input.reserve(end - first);
  for (uint32_t i = first; i < end; ++i) {
    part.input.push_back(value_of_key(i));
    if (begins(i, n)) part.values.push_back(i);
  }
  for (uint32_t head : part.values) {
    uint32_t i = head, sum = 0;
    do sum += value_of_key(i++);
    while (i < n && !begins(i, n));
    part.outputs[0].push_back(sum);
  }
  if (end == n) part.values.push_back(n);
  return part;
}

inline Irregular segmented_reduce_case(const char *op, Begins begins) {
  Make make = [=](uint32_t first, uint32_t end, uint32_t n) { return segments(first, end, n, begins); };
  auto call = [](const Slices &on, int) -> Call {
    return [=](void *t, size_t &b, cudaStream_t s) {
      return cub::DeviceSegmentedReduce::Sum(t, b, on.input, on.outputs[0], on.n_values - 1, on.values, on.values + 1,
                                             s);
    };
  };
  return {"segmented-reduce", op, make, call, false, false};
}

inline std::vector<Irregular> irregular_cases() {
  return {
      select_case("10 %", 429496730u),  select_case("50 %", 1u << 31),
      select_case("90 %", 3865470566u), partition_case("50 %", 1u << 31),
      unique_case("runs of 4", 4),      unique_case("runs of 1000", 1000),
      rle_case("runs of 4", 4),         rle_case("runs of 1000", 1000),
      reduce_by_key_case("runs of 4", 4), reduce_by_key_case("runs of 1000", 1000),
      scan_by_key_case("runs of 4", 4),   scan_by_key_case("runs of 1000", 1000),
      segmented_reduce_case("segments of 8", [](uint32_t i, uint32_t) { return i % 8 == 0; }),
      segmented_reduce_case("segments of 100", [](uint32_t i, uint32_t) { return i % 100 == 0; }),
      segmented_reduce_case("segments of 10,000", [](uint32_t i, uint32_t) { return i % 10000 == 0; }),
      segmented_reduce_case("one huge among ones",
                            [](uint32_t i, uint32_t n) { return i <= n / 32 || i >= n - n / 32; }),
  };
}
