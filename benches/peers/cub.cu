// CUB's reductions and scans, measured as `primitives` measures this library's: results are
// verified first; then, after a warm-up, each call follows a copy of the same arrays, without
// pauses, between two events. Small calls are many in one CUDA graph.
//
//   nvcc -O3 -std=c++17 -arch=native -o cub cub.cu
//   ./cub [--quick] [--rounds N] [--calls N] [--json FILE] [N | 2^K | 2^K+N]...

#include "cub/cases.cuh"
#include "cub/options.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <vector>

// The copy of ../timing/copy.rs: 16 bytes a lane and step.
__global__ void __launch_bounds__(256) copy_kernel(const uint4 *src, uint4 *dst, size_t quads) {
  size_t first = size_t(blockIdx.x) * 2048 + threadIdx.x;
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    size_t at = first + i * 256;
    if (at < quads) dst[at] = src[at];
  }
}

__global__ void compare_kernel(const uint32_t *got, const uint32_t *wanted, size_t words,
                               unsigned long long *wrong) {
  for (size_t at = size_t(blockIdx.x) * blockDim.x + threadIdx.x; at < words;
       at += size_t(gridDim.x) * blockDim.x) {
    if (got[at] != wanted[at]) atomicAdd(wrong, 1ull);
  }
}

struct Summary {
  double median, spread;
};

static Summary summary(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  auto at = [&](size_t quarter) { return times[(times.size() - 1) * quarter / 4]; };
  return {at(2), (at(3) - at(1)) / at(2)};
}

struct Bench {
  Options options;
  std::string machine_fields;
  cudaStream_t stream;
  cudaEvent_t start, stop;
  FILE *json = nullptr;
  int wrong = 0;

  using Work = std::function<void(cudaStream_t)>;

  // Work that is launched once: a call, or a graph of several.
  struct Launch {
    Work work;
    cudaGraphExec_t graph = nullptr;
    int calls = 1;
  };

  Launch prepare(Work work, int calls) {
    Launch launch{work, nullptr, calls};
    // A kernel's first launch loads it, which a capture may not.
    work(stream);
    CHECK(cudaStreamSynchronize(stream));
    if (calls > 1) {
      cudaGraph_t graph;
      CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
      for (int i = 0; i < calls; ++i) work(stream);
      CHECK(cudaStreamEndCapture(stream, &graph));
      CHECK(cudaGraphInstantiate(&launch.graph, graph, 0));
      CHECK(cudaGraphDestroy(graph));
    }
    return launch;
  }

  // Microseconds of a call.
  double time(const Launch &launch) {
    CHECK(cudaEventRecord(start, stream));
    if (launch.graph) CHECK(cudaGraphLaunch(launch.graph, stream));
    else launch.work(stream);
    CHECK(cudaEventRecord(stop, stream));
    CHECK(cudaEventSynchronize(stop));
    float milliseconds = 0;
    CHECK(cudaEventElapsedTime(&milliseconds, start, stop));
    return double(milliseconds) * 1e3 / launch.calls;
  }

  template <class T>
  void run(const Case<T> &c);

  template <class T>
  void measure(const Case<T> &c, const char *primitive, const char *kind, const Work &work, const Work &copy,
               uint64_t n);
};

template <class T>
void Bench::measure(const Case<T> &c, const char *primitive, const char *kind, const Work &work,
                    const Work &copy, uint64_t n) {
  int calls = options.calls > 0 ? options.calls : n < (1 << 20) ? (options.quick ? 10 : 100) : 1;
  Launch own = prepare(work, calls), copies = prepare(copy, calls);
  auto begin = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(300)) {
    time(copies);
    time(own);
  }
  std::vector<double> own_times, copy_times;
  for (int i = 0; i < options.rounds; ++i) {
    copy_times.push_back(time(copies));
    own_times.push_back(time(own));
  }
  for (Launch *launch : {&own, &copies}) {
    if (launch->graph) CHECK(cudaGraphExecDestroy(launch->graph));
  }
  Summary us = summary(own_times), copy_us = summary(copy_times);
  double bytes = double(n) * sizeof(T) * (kind ? 2 : 1), copy_bytes = double(n) * sizeof(T) * 2;
  double gitems = double(n) / us.median * 1e-3, gbytes = bytes / us.median * 1e-3;
  double of_copy = gbytes / (copy_bytes / copy_us.median * 1e-3);
  std::printf("%llu | %s-%s %s%s%s | %.2f | %.0f %% | %.2f | %.1f | %.2f | %.2f\n", (unsigned long long)n, c.op,
              c.element, kind ? kind : "", kind ? " " : "", primitive, us.median, us.spread * 100, gitems, gbytes,
              of_copy, copy_us.median);
  std::fflush(stdout);
  if (!json) return;
  std::string kind_field = kind ? std::string(",\"kind\":\"") + kind + "\"" : "";
  std::fprintf(json,
               "{\"bench\":\"primitives\",\"primitive\":\"%s\"%s,\"operator\":\"%s\",\"element\":\"%s\",\"n\":%llu,"
               "\"median_us\":%.6f,\"spread\":%.6f,\"gitems_per_s\":%.6f,\"gbytes_per_s\":%.6f,\"of_copy\":%.6f,"
               "\"copy_us\":%.6f,\"calls\":%d,\"rounds\":%d,%s}\n",
               primitive, kind_field.c_str(), c.op, c.element, (unsigned long long)n, us.median, us.spread, gitems,
               gbytes, of_copy, copy_us.median, calls, options.rounds, machine_fields.c_str());
  std::fflush(json);
}

template <class T>
void Bench::run(const Case<T> &c) {
  const uint64_t most = options.sizes.back();
  T *input, *output, *wanted;
  unsigned long long *wrong_words;
  CHECK(cudaMalloc(&input, most * sizeof(T)));
  CHECK(cudaMalloc(&output, most * sizeof(T)));
  CHECK(cudaMalloc(&wanted, (most + 1) * sizeof(T)));
  CHECK(cudaMalloc(&wrong_words, sizeof *wrong_words));
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
    for (uint64_t n : options.sizes) {
      size_t bytes = 0;
      CHECK(kind.make(input, output, int(n))(nullptr, bytes, stream));
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

  std::vector<bool> is_right(kinds.size(), true);
  for (size_t k = 0; k < kinds.size(); ++k) {
    for (uint64_t n : options.sizes) {
      bool is_scan = kinds[k].kind != nullptr;
      bool is_exclusive = is_scan && std::strcmp(kinds[k].kind, "exclusive") == 0;
      CHECK(cudaMemsetAsync(output, 0, n * sizeof(T), stream));
      CHECK(cudaMemsetAsync(wrong_words, 0, sizeof *wrong_words, stream));
      work_of(kinds[k], n)(stream);
      const T *right = is_scan ? wanted + (is_exclusive ? 0 : 1) : wanted + n;
      size_t words = (is_scan ? n : 1) * sizeof(T) / 4;
      compare_kernel<<<1024, 256, 0, stream>>>(reinterpret_cast<const uint32_t *>(output),
                                               reinterpret_cast<const uint32_t *>(right), words, wrong_words);
      CHECK(cudaGetLastError());
      unsigned long long count = 0;
      CHECK(cudaMemcpyAsync(&count, wrong_words, sizeof count, cudaMemcpyDeviceToHost, stream));
      CHECK(cudaStreamSynchronize(stream));
      if (count != 0) {
        std::fprintf(stderr, "WRONG: %s-%s %s %s, n = %llu: %llu words\n", c.op, c.element,
                     is_scan ? kinds[k].kind : "", kinds[k].primitive, (unsigned long long)n, count);
        is_right[k] = false;
        wrong += 1;
      }
    }
  }

  for (uint64_t n : options.sizes) {
    size_t quads = n * sizeof(T) / 16;
    Work copy = [=](cudaStream_t s) {
      copy_kernel<<<unsigned((quads + 2047) / 2048), 256, 0, s>>>(reinterpret_cast<const uint4 *>(input),
                                                                  reinterpret_cast<uint4 *>(output), quads);
      CHECK(cudaGetLastError());
    };
    if (quads == 0) continue;
    for (size_t k = 0; k < kinds.size(); ++k) {
      if (is_right[k]) measure(c, kinds[k].primitive, kinds[k].kind, work_of(kinds[k], n), copy, n);
    }
  }
  CHECK(cudaFree(storage));
  CHECK(cudaFree(wrong_words));
  CHECK(cudaFree(wanted));
  CHECK(cudaFree(output));
  CHECK(cudaFree(input));
}

int main(int argc, char **argv) {
  Bench bench;
  bench.options = parse(argc, argv);
  bench.machine_fields = machine(bench.options);
  CHECK(cudaStreamCreate(&bench.stream));
  CHECK(cudaEventCreate(&bench.start));
  CHECK(cudaEventCreate(&bench.stop));
  if (bench.options.json && !(bench.json = std::fopen(bench.options.json, "a"))) {
    std::perror(bench.options.json);
    return 1;
  }
  std::printf("n | what | median us | spread | Gitem/s | GB/s | of copy's GB/s | copy us\n");
  bench.run(sum_case<uint32_t>("u32", [](uint32_t i) { return mixed(i) >> 7; }));
  bench.run(sum_case<int32_t>("i32", [](uint32_t i) { return int32_t(mixed(i)) >> 3; }));
  bench.run(sum_case<float>("f32", [](uint32_t i) { return 2.0f * float(mixed(i) >> 30) - 3.0f; }));
  bench.run(max_case<uint32_t>("u32", 0u, [](uint32_t i) { return (i << 3) + (mixed(i) & 0xff); }));
  bench.run(max_case<float>("f32", -std::numeric_limits<float>::infinity(), [](uint32_t i) {
    return float(i >> 2) + float(mixed(i) & 15) - 4096.0f;
  }));
  Case<Affine> affine{"affine", "u32x2", [](uint32_t i) { return Affine{mixed(i) | 1, mixed(~i)}; },
                      Affine{1, 0}, Compose{}, {}, {}, {}};
  set_scans(affine, Compose{});
  bench.run(affine);
  if (bench.json) std::fclose(bench.json);
  if (bench.wrong) std::fprintf(stderr, "%d wrong results\n", bench.wrong);
  return bench.wrong ? 1 : 0;
}
