// The command line, and what a row says of the machine.
#pragma once

#include <cub/version.cuh>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <limits>
#include <string>
#include <vector>

#define CHECK(call)                                                                        \
  do {                                                                                     \
    cudaError_t error_ = (call);                                                           \
    if (error_ != cudaSuccess) {                                                           \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error_)); \
      std::exit(1);                                                                        \
    }                                                                                      \
  } while (0)

struct Options {
  std::vector<uint64_t> sizes;
  bool quick = false;
  int rounds = 0, calls = 0;
  const char *json = nullptr;
  std::string command;
};

inline uint64_t parse_size(const char *text) {
  char *rest = nullptr;
  uint64_t n = 0;
  if (std::strncmp(text, "2^", 2) == 0) {
    unsigned long log2 = std::strtoul(text + 2, &rest, 10);
    n = rest != text + 2 && log2 < 32 ? uint64_t(1) << log2 : 0;
    if (*rest == '+') n += std::strtoull(rest + 1, &rest, 10);
  } else {
    n = std::strtoull(text, &rest, 10);
  }
  if (*rest != 0 || n == 0 || n > uint64_t(std::numeric_limits<int>::max())) {
    std::fprintf(stderr, "%s is neither an option nor N, 2^K or 2^K+N\n", text);
    std::exit(2);
  }
  return n;
}

// With the sizes there are without any in the command line, and with --quick.
inline Options parse(int argc, char **argv, const char *name, std::vector<uint64_t> sizes,
                     std::vector<uint64_t> quick) {
  Options o;
  o.command = name;
  for (int i = 1; i < argc; ++i) {
    o.command += std::string(" ") + argv[i];
    std::string arg = argv[i];
    bool has_value = arg == "--rounds" || arg == "--calls" || arg == "--json";
    if (has_value && i + 1 == argc) {
      std::fprintf(stderr, "%s wants a value\n", argv[i]);
      std::exit(2);
    }
    if (has_value) o.command += std::string(" ") + argv[i + 1];
    if (arg == "--quick") o.quick = true;
    else if (arg == "--rounds") o.rounds = std::atoi(argv[++i]);
    else if (arg == "--calls") o.calls = std::atoi(argv[++i]);
    else if (arg == "--json") o.json = argv[++i];
    else o.sizes.push_back(parse_size(argv[i]));
  }
  if (o.sizes.empty()) o.sizes = o.quick ? quick : sizes;
  std::sort(o.sizes.begin(), o.sizes.end());
  if (o.rounds <= 0) o.rounds = o.quick ? 10 : 40;
  return o;
}

inline std::string quoted(const std::string &text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) >= ' ') out += c;
  }
  return out + "\"";
}

// The fields of a row that are the same in all.
inline std::string machine(const Options &options) {
  int device = 0, runtime = 0;
  CHECK(cudaGetDevice(&device));
  CHECK(cudaRuntimeGetVersion(&runtime));
  cudaDeviceProp properties;
  CHECK(cudaGetDeviceProperties(&properties, device));
  // The driver's own version stands in this file, as in "... Kernel Module  580.159.04  ...".
  std::string driver = "NVIDIA";
  if (FILE *file = std::fopen("/proc/driver/nvidia/version", "r")) {
    char line[512] = "", version[64] = "";
    if (std::fgets(line, sizeof line, file)) {
      for (const char *at = line; *at; ++at) {
        if (at[0] == ' ' && at[1] >= '0' && at[1] <= '9' && std::sscanf(at, " %63[0-9.]", version) == 1 &&
            std::strchr(version, '.')) {
          driver += std::string(" ") + version;
          break;
        }
      }
    }
    std::fclose(file);
  }
  char date[32], version[32], cuda[32];
  std::time_t now = std::time(nullptr);
  std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&now));
  std::snprintf(version, sizeof version, "%d.%d.%d", CUB_MAJOR_VERSION, CUB_MINOR_VERSION, CUB_SUBMINOR_VERSION);
  std::snprintf(cuda, sizeof cuda, "CUDA %d.%d", runtime / 1000, runtime % 1000 / 10);
  std::printf("%s, %s, %s, CUB %s\n", properties.name, driver.c_str(), cuda, version);
  return "\"peer\":\"cub\",\"peer_version\":" + quoted(version) + ",\"adapter\":" + quoted(properties.name) +
         ",\"driver\":" + quoted(driver) + ",\"backend\":" + quoted(cuda) + ",\"date\":" + quoted(date) +
         ",\"command\":" + quoted(options.command);
}
