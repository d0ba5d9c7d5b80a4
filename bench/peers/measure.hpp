// What the peers in C++ share: clocks, figures, files of questions, lines of JSON.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <malloc.h>
#include <set>
#include <sstream>
#include <string>
#include <time.h>
#include <unistd.h>
#include <vector>

namespace peer {

constexpr double kEarthRadiusMeters = 6371008.8;
constexpr double kRadians = M_PI / 180;

struct Place {
    double lon, lat;  // degrees
};

inline double now(clockid_t clock) {
    timespec time;
    clock_gettime(clock, &time);
    return time.tv_sec * 1e6 + time.tv_nsec * 1e-3;
}

// Resident bytes, counted in pages, after freed memory has gone back.
inline double residentBytes() {
    malloc_trim(0);
    std::ifstream file("/proc/self/statm");
    long all = 0, resident = 0;
    file >> all >> resident;
    return double(resident) * sysconf(_SC_PAGESIZE);
}

struct Spread {
    double p50 = 0, p99 = 0, mean = 0;

    // By nearest rank, as GeoBench does it.
    explicit Spread(std::vector<double> numbers) {
        std::sort(numbers.begin(), numbers.end());
        auto rank = [&](double share) {
            long place = long(std::ceil(share * numbers.size())) - 1;
            return numbers[std::max(0L, place)];
        };
        p50 = rank(0.5);
        p99 = rank(0.99);
        for (double number : numbers) mean += number / numbers.size();
    }
};

inline double median(std::vector<double> numbers) { return Spread(std::move(numbers)).p50; }

// Runs `question(i)` for all i in each run and prints the medians of the runs' figures, in
// microseconds. `question` gives what its answer counts towards the result.
template <typename Question>
void ask(const std::string& name, const char* who, size_t count, int runs, Question question,
         double bytesPerObject = 0) {
    std::vector<double> figures[6];
    double result = 0;
    for (int run = 0; run < runs; ++run) {
        std::vector<double> wall, processor;
        result = 0;
        for (size_t index = 0; index < count; ++index) {
            double processorStart = now(CLOCK_THREAD_CPUTIME_ID), wallStart = now(CLOCK_MONOTONIC);
            double found = question(index);
            double wallEnd = now(CLOCK_MONOTONIC), processorEnd = now(CLOCK_THREAD_CPUTIME_ID);
            wall.push_back(wallEnd - wallStart);
            processor.push_back(processorEnd - processorStart);
            result += found;
        }
        Spread spreads[] = {Spread(wall), Spread(processor)};
        for (int clock = 0; clock < 2; ++clock) {
            figures[3 * clock].push_back(spreads[clock].p50);
            figures[3 * clock + 1].push_back(spreads[clock].p99);
            figures[3 * clock + 2].push_back(spreads[clock].mean);
        }
    }
    std::printf("{\"name\":\"%s\",\"who\":\"%s\",\"unit\":\"us\","
                "\"wall\":{\"p50\":%.3f,\"p99\":%.3f,\"mean\":%.3f},"
                "\"cpu\":{\"p50\":%.3f,\"p99\":%.3f,\"mean\":%.3f},"
                "\"calls\":%zu,\"runs\":%d,\"result\":%.9g",
                name.c_str(), who, median(figures[0]), median(figures[1]), median(figures[2]),
                median(figures[3]), median(figures[4]), median(figures[5]), count, runs, result);
    if (bytesPerObject > 0) std::printf(",\"bytesPerObject\":%.1f", bytesPerObject);
    std::printf("}\n");
    std::fflush(stdout);
}

// Pairs of little-endian doubles, longitude first.
inline std::vector<Place> readPoints(const std::string& path) {
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    if (!file) {
        std::fprintf(stderr, "there is no %s\n", path.c_str());
        std::exit(1);
    }
    std::vector<Place> places(size_t(file.tellg()) / sizeof(Place));
    file.seekg(0);
    file.read(reinterpret_cast<char*>(places.data()), places.size() * sizeof(Place));
    return places;
}

// The first two columns of a CSV file with a header.
inline std::vector<Place> readPlaces(const std::string& path, size_t limit) {
    std::ifstream file(path);
    std::vector<Place> places;
    std::string line;
    std::getline(file, line);
    while (places.size() < limit && std::getline(file, line)) {
        Place place;
        if (std::sscanf(line.c_str(), "%lf,%lf", &place.lon, &place.lat) == 2)
            places.push_back(place);
    }
    if (places.empty()) {
        std::fprintf(stderr, "there is nothing in %s\n", path.c_str());
        std::exit(1);
    }
    return places;
}

// hav of the central angle.
inline double haversine(const Place& from, const Place& to) {
    double lat = std::sin((to.lat - from.lat) * kRadians / 2);
    double lon = std::sin((to.lon - from.lon) * kRadians / 2);
    return lat * lat
        + std::cos(from.lat * kRadians) * std::cos(to.lat * kRadians) * lon * lon;
}

inline double haversineOfMeters(double meters) {
    double half = std::sin(meters / kEarthRadiusMeters / 2);
    return half * half;
}

}  // namespace peer
