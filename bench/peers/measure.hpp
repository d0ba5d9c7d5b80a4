// What the peers in C++ share: clocks, figures, files of questions, brute force, lines of JSON.
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

// What a call takes, in microseconds.
struct Times {
    double wall = 0, processor = 0;
};

// The times of `body()`, those of the clocks included.
template <typename Body>
Times timed(Body body) {
    double processorStart = now(CLOCK_THREAD_CPUTIME_ID), wallStart = now(CLOCK_MONOTONIC);
    body();
    double wallEnd = now(CLOCK_MONOTONIC), processorEnd = now(CLOCK_THREAD_CPUTIME_ID);
    return {wallEnd - wallStart, processorEnd - processorStart};
}

// What a call that does nothing seems to take: the clocks' own readings, as GeoBench has them.
inline const Times& clockCost() {
    static const Times cost = [] {
        std::vector<double> wall, processor;
        for (int call = 0; call < 10001; ++call) {
            Times times = timed([] {});
            wall.push_back(times.wall);
            processor.push_back(times.processor);
        }
        return Times{median(wall), median(processor)};
    }();
    return cost;
}

// Runs `question(i)` for all i in each run and prints the medians of the runs' figures, in
// microseconds, without the clocks' own. `question` gives what its answer counts towards the result; `check` says how
// answers were checked before.
template <typename Question>
void ask(const std::string& name, const char* who, size_t count, int runs, Question question,
         const double& bytesPerObject = 0, const std::string& check = "") {
    std::vector<double> figures[6];
    const Times clocks = clockCost();
    double result = 0;
    for (int run = 0; run < runs; ++run) {
        std::vector<double> wall, processor;
        result = 0;
        for (size_t index = 0; index < count; ++index) {
            double found = 0;
            Times times = timed([&] { found = question(index); });
            wall.push_back(std::max(0.0, times.wall - clocks.wall));
            processor.push_back(std::max(0.0, times.processor - clocks.processor));
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
    if (!check.empty()) std::printf(",\"check\":\"%s\"", check.c_str());
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

inline double meters(const Place& from, const Place& to) {
    return 2 * kEarthRadiusMeters * std::asin(std::sqrt(haversine(from, to)));
}

// The sample that is compared with brute force: eight questions, spread evenly.
constexpr size_t kSample = 8;
inline const std::string kChecked = "8 questions against all objects";

template <typename Body>
void forSample(size_t count, Body body) {
    for (size_t number = 0; number < kSample; ++number)
        body((2 * number + 1) * count / (2 * kSample));
}

// Two formulas for one distance differ by less.
constexpr double kToleranceMeters = 1e-4;

[[noreturn]] inline void isWrong(const char* what, double found, double expected) {
    std::fprintf(stderr, "wrong result: %s is %.9g, not %.9g\n", what, found, expected);
    std::exit(1);
}

// Compares the distance of the tenth neighbour, `tenth(i)` in metres, with all objects'.
template <typename Tenth>
void checkNearest(const std::vector<Place>& points, const std::vector<Place>& centres,
                  Tenth tenth) {
    forSample(centres.size(), [&](size_t index) {
        std::vector<double> all;
        all.reserve(points.size());
        for (auto& point : points) all.push_back(haversine(centres[index], point));
        std::nth_element(all.begin(), all.begin() + 9, all.end());
        double expected = 2 * kEarthRadiusMeters * std::asin(std::sqrt(all[9]));
        double found = tenth(index);
        if (std::abs(found - expected) > kToleranceMeters)
            isWrong("the distance of the tenth neighbour", found, expected);
    });
}

// Compares `count(i)` and the ids `which(i)` of a circle with all objects'.
template <typename Count, typename Which>
void checkCircles(const std::vector<Place>& points, const std::vector<Place>& circles,
                  double radiusMeters, Count count, Which which) {
    forSample(circles.size(), [&](size_t index) {
        const Place& centre = circles[index];
        double inside = 0, edge = 0;
        for (auto& point : points) {
            double distance = meters(centre, point);
            if (distance <= radiusMeters - kToleranceMeters) ++inside;
            else if (distance <= radiusMeters + kToleranceMeters) ++edge;
        }
        std::vector<uint32_t> ids = which(index);
        std::set<uint32_t> distinct(ids.begin(), ids.end());
        if (distinct.size() != ids.size()) isWrong("distinct ids", distinct.size(), ids.size());
        for (double found : {double(count(index)), double(ids.size())})
            if (found < inside || found > inside + edge)
                isWrong("objects in a circle", found, inside);
        for (uint32_t id : ids)
            if (meters(centre, points[id]) > radiusMeters + kToleranceMeters)
                isWrong("a distance in a circle", meters(centre, points[id]), radiusMeters);
    });
}

}  // namespace peer
