// CUB's reductions and scans, measured as `primitives` measures this library's: results are
// verified first; then, after a warm-up, each call follows a copy of the same arrays, without
// pauses, between two events. Small calls are many in one CUDA graph.
//
//   nvcc -O3 -std=c++17 -arch=native -o cub cub.cu
//   ./cub [--quick] [--rounds N] [--calls N] [--json FILE] [N | 2^K | 2^K+N]...

#include "cub/bench.cuh"
#include "cub/cases.cuh"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

using Work = Bench::Work;

template <class T>
static void run(Bench &bench, const Case<T> &c) {
  const std::vector<uint64_t> &sizes = bench.options.sizes;
  const uint64_t most = sizes.back();
  T *input, *output, *wanted;
  CHECK(cudaMalloc(&input, most * sizeof(T)));
  CHECK(cudaMalloc(&output, most * sizeof(T)));
  CHECK(cudaMalloc(&wanted, (most + 1) * sizeof(T)));
  {
    // The exclusive scan, then the total; from its second item on it is the inclusive scan.
    std::vector<T> items(most), sums(most + 1);
    sums[0] = c.nothing;
    for (uint64_t i = 0; i < most; ++i) {
      items[i] = c.item(uint32_t(i));
      sums[i + 1] = i == 0 ? items[0] : c.combine(sums[i], items[i]);
    }
    CHECK(cudaMemcpy(input, items.data(), most * sizeof(T), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(wanted, sums.data(), (most + 1) * sizeof(T), cudaMemcpyHostToDevice));
  }

  struct Kind {
    const char *primitive, *kind;
    const std::function<Call(const T *, T *, int)> &make;
  };
  std::vector<Kind> kinds;
  if (c.reduce) kinds.push_back({"reduce", nullptr, c.reduce});
  kinds.push_back({"scan", "inclusive", c.inclusive});
  kinds.push_back({"scan", "exclusive", c.exclusive});

  size_t storage_bytes = 1;
  for (const Kind &kind : kinds) {
    for (uint64_t n : sizes) {
      size_t bytes = 0;
      CHECK(kind.make(input, output, int(n))(nullptr, bytes, bench.stream));
      storage_bytes = std::max(storage_bytes, bytes);
    }
  }
  void *storage;
  CHECK(cudaMalloc(&storage, storage_bytes));
  auto work_of = [&](const Kind &kind, uint64_t n) -> Work {
    Call call = kind.make(input, output, int(n));
    size_t bytes = storage_bytes;
    return [=](cudaStream_t s) {
      size_t have = bytes;
      CHECK(call(storage, have, s));
    };
  };

  auto name_of = [&](const Kind &kind) {
    return std::string(c.op) + "-" + c.element + (kind.kind ? std::string(" ") + kind.kind : "") + " " +
           kind.primitive;
  };

  std::vector<bool> is_right(kinds.size(), true);
  for (size_t k = 0; k < kinds.size(); ++k) {
    for (uint64_t n : sizes) {
      bool is_scan = kinds[k].kind != nullptr;
      bool is_exclusive = is_scan && std::strcmp(kinds[k].kind, "exclusive") == 0;
      CHECK(cudaMemsetAsync(output, 0, n * sizeof(T), bench.stream));
      work_of(kinds[k], n)(bench.stream);
      const T *right = is_scan ? wanted + (is_exclusive ? 0 : 1) : wanted + n;
      unsigned long long words = bench.differences(output, right, (is_scan ? n : 1) * sizeof(T) / 4);
      if (words != 0) {
        bench.fail(name_of(kinds[k]), n, words);
        is_right[k] = false;
      }
    }
  }

  for (uint64_t n : sizes) {
    if (n * sizeof(T) < 16) continue;
    Work copy = Bench::copy(input, output, n * sizeof(T));
    for (size_t k = 0; k < kinds.size(); ++k) {
      const Kind &kind = kinds[k];
      double items = double(n) * sizeof(T), moved = items * (kind.kind ? 2 : 1);
      Subject of{"primitives", kind.primitive, kind.kind, c.op, c.element, name_of(kind), moved, items * 2};
      if (is_right[k]) bench.measure(of, work_of(kind, n), copy, n);
    }
  }
  CHECK(cudaFree(storage));
  CHECK(cudaFree(wanted));
  CHECK(cudaFree(output));
  CHECK(cudaFree(input));
}

int main(int argc, char **argv) {
  Bench bench(parse(argc, argv, "cub",
                    {1 << 10, 1 << 12, 1 << 14, 1 << 16, 1 << 18, 1000003, 1 << 20, 1 << 22, 1 << 24, (1 << 24) + 3,
                     33000001, 1 << 26, 1 << 28},
                    {1 << 10, 1 << 16, 1000003, 1 << 20}));
  run(bench, sum_case<uint32_t>("u32", [](uint32_t i) { return mixed(i) >> 7; }));
  run(bench, sum_case<int32_t>("i32", [](uint32_t i) { return int32_t(mixed(i)) >> 3; }));
  run(bench, sum_case<float>("f32", [](uint32_t i) { return 2.0f * float(mixed(i) >> 30) - 3.0f; }));
  run(bench, max_case<uint32_t>("u32", 0u, [](uint32_t i) { return (i << 3) + (mixed(i) & 0xff); }));
  run(bench, max_case<float>("f32", -std::numeric_limits<float>::infinity(), [](uint32_t i) {
    return float(i >> 2) + float(mixed(i) & 15) - 4096.0f;
  }));
  Case<Affine> affine{"affine", "u32x2", [](uint32_t i) { return Affine{mixed(i) | 1, mixed(~i)}; },
                      Affine{1, 0}, Compose{}, {}, {}, {}};
  set_scans(affine, Compose{});
  run(bench, affine);
  return bench.finish();
}
