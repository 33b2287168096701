// CUB's compactions, measured as `irregular` measures this library's, and as cub.cu measures
// reductions and scans.
//
//   nvcc -O3 -std=c++17 -arch=native -Xcompiler -pthread -o cub_irregular cub_irregular.cu
//   ./cub_irregular [--quick] [--rounds N] [--calls N] [--json FILE] [N | 2^K | 2^K+N]...

#include "cub/bench.cuh"
#include "cub/irregular.cuh"

#include <algorithm>
#include <cstdint>
#include <string>

static uint32_t *words_of_device(size_t words) {
  uint32_t *slice;
  CHECK(cudaMalloc(&slice, std::max<size_t>(words, 1) * 4));
  return slice;
}

static uint32_t *upload(const Words &words) {
  uint32_t *slice = words_of_device(words.size());
  CHECK(cudaMemcpy(slice, words.data(), words.size() * 4, cudaMemcpyHostToDevice));
  return slice;
}

// A case on n items: verified, then timed.
static void run(Bench &bench, const Irregular &c, uint64_t n) {
  Part part = all_parts(c.make, uint32_t(n));
  uint32_t count = uint32_t(part.outputs[0].size());
  if (c.backwards) {
    std::reverse(part.outputs[1].begin(), part.outputs[1].end());
    append(part.outputs[0], part.outputs[1]);
    part.outputs[1].clear();
  }
  size_t lengths[2] = {part.outputs[0].size(), part.outputs[1].size()};
  Slices on{upload(part.input), upload(part.values), {words_of_device(n), words_of_device(lengths[1])},
            words_of_device(1),
            int(part.values.size())};
  size_t inputs = part.input.size() + part.values.size();
  uint32_t *wanted[2] = {upload(part.outputs[0]), upload(part.outputs[1])};
  uint32_t *wanted_count = upload({count});
  part = Part();

  Call call = c.call(on, int(n));
  size_t storage_bytes = 0;
  CHECK(call(nullptr, storage_bytes, bench.stream));
  void *storage = words_of_device(storage_bytes / 4 + 1);
  Bench::Work work = [=](cudaStream_t s) {
    size_t have = storage_bytes;
    CHECK(call(storage, have, s));
  };

  std::string name = std::string(c.op) + " u32 " + c.primitive;
  CHECK(cudaMemsetAsync(on.outputs[0], 0, n * 4, bench.stream));
  CHECK(cudaMemsetAsync(on.outputs[1], 0, lengths[1] * 4, bench.stream));
  CHECK(cudaMemsetAsync(on.count, 0, 4, bench.stream));
  work(bench.stream);
  unsigned long long words = c.counts ? bench.differences(on.count, wanted_count, 1) : 0;
  for (int k : {0, 1}) words += bench.differences(on.outputs[k], wanted[k], lengths[k]);
  if (words != 0) {
    bench.fail(name, n, words);
  } else if (n >= 4) {
    double bytes = 4.0 * double(inputs + lengths[0] + lengths[1] + (c.counts ? 1 : 0));
    const char *kind = std::string(c.primitive) == "scan-by-key" ? "inclusive" : nullptr;
    Subject of{"irregular", c.primitive, kind, c.op, "u32", name, bytes, 8.0 * double(n)};
    bench.measure(of, work, Bench::copy(on.input, on.outputs[0], n * 4), n);
  }
  for (void *slice : {(void *)on.input, (void *)on.values, (void *)on.outputs[0], (void *)on.outputs[1], (void *)on.count,
                      (void *)wanted[0], (void *)wanted[1], (void *)wanted_count, storage}) {
    CHECK(cudaFree(slice));
  }
}

int main(int argc, char **argv) {
  Bench bench(parse(argc, argv, "cub-irregular", {1 << 16, 1 << 20, 1 << 24, 1 << 26, 1 << 28},
                    {1 << 16, 1000003, 1 << 20}));
  for (const Irregular &c : irregular_cases()) {
    for (uint64_t n : bench.options.sizes) run(bench, c, n);
  }
  return bench.finish();
}
