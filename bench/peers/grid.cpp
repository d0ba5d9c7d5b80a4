// A uniform grid of about 100 m, points sorted by cell, cells with their counts: what a circle
// holds whole is counted without looking at it. One thread. Circles across ±180° or a pole are
// beyond it; the questions have none.
//
//   grid POINTS.f64 FOLDER SUFFIX RUNS     FOLDER has radius.csv
#include "measure.hpp"

#include <numeric>

using peer::Place;

constexpr double kRadiusMeters = 500;
constexpr double kCellDegrees = 0.0009;

struct Grid {
    struct Cell {
        int32_t column;
        uint32_t start;  // of its points; those of the next cell end them
    };

    std::vector<Place> places;    // by row, then by column
    std::vector<uint32_t> ids;
    std::vector<Cell> cells;
    std::vector<uint32_t> rows;   // the first cell of each row

    static int32_t row(double lat) { return int32_t((lat + 90) / kCellDegrees); }
    static int32_t column(double lon) { return int32_t((lon + 180) / kCellDegrees); }

    explicit Grid(const std::vector<Place>& points) {
        std::vector<std::pair<uint64_t, uint32_t>> order(points.size());
        for (uint32_t index = 0; index < points.size(); ++index)
            order[index] = {uint64_t(row(points[index].lat)) << 32 | uint32_t(column(points[index].lon)),
                            index};
        std::sort(order.begin(), order.end());
        rows.assign(size_t(row(90)) + 2, 0);
        uint64_t last = UINT64_MAX;
        for (auto& [key, index] : order) {
            if (key != last) {
                cells.push_back({int32_t(key), uint32_t(places.size())});
                ++rows[(key >> 32) + 1];
                last = key;
            }
            places.push_back(points[index]);
            ids.push_back(index);
        }
        cells.push_back({INT32_MAX, uint32_t(places.size())});
        std::partial_sum(rows.begin(), rows.end(), rows.begin());
    }

    // Calls `whole` with ranges of points that are in the circle, and `some` with those to test.
    template <typename Whole, typename Some>
    void visit(const Place& c, Whole whole, Some some) const {
        double up = kRadiusMeters / peer::kEarthRadiusMeters / peer::kRadians;
        double side = up / std::cos((std::abs(c.lat) + up) * peer::kRadians);
        double reach = peer::haversineOfMeters(kRadiusMeters);
        int32_t west = column(c.lon - side), east = column(c.lon + side);
        for (int32_t r = row(c.lat - up); r <= row(c.lat + up); ++r) {
            auto begin = cells.begin() + rows[r], end = cells.begin() + rows[r + 1];
            auto cell = std::lower_bound(begin, end, west, [](const Cell& cell, int32_t column) {
                return cell.column < column;
            });
            // A row's cells that lie in the circle whole are neighbours: those whose corners do.
            double south = r * kCellDegrees - 90, north = south + kCellDegrees;
            auto holds = [&](int32_t column) {
                double left = column * kCellDegrees - 180, right = left + kCellDegrees;
                return peer::haversine(c, {left, south}) < reach
                    && peer::haversine(c, {right, south}) < reach
                    && peer::haversine(c, {left, north}) < reach
                    && peer::haversine(c, {right, north}) < reach;
            };
            int32_t first = west, past = east + 1;
            while (first < past && !holds(first)) ++first;
            while (past > first && !holds(past - 1)) --past;
            for (; cell != end && cell->column <= east; ++cell) {
                uint32_t stop = (cell + 1)->start;
                if (cell->column >= first && cell->column < past) whole(cell->start, stop);
                else some(cell->start, stop);
            }
        }
    }
};

int main(int argc, char** argv) {
    if (argc != 5) return 2;
    auto points = peer::readPoints(argv[1]);
    std::string folder = argv[2], suffix = argv[3];
    int runs = std::atoi(argv[4]);
    auto circles = peer::readPlaces(folder + "/radius.csv", 2000);
    const char* who = "sorted grid, 100 m";

    double before = peer::residentBytes();
    Grid grid(points);
    double bytes = (peer::residentBytes() - before) / points.size();
    peer::ask("index.build." + suffix, who, 1, runs, [&](size_t) {
        return double(Grid(points).places.size());
    }, bytes);
    double reach = peer::haversineOfMeters(kRadiusMeters);
    auto countIn = [&](size_t index) {
        size_t count = 0;
        grid.visit(circles[index], [&](uint32_t start, uint32_t stop) { count += stop - start; },
                   [&](uint32_t start, uint32_t stop) {
            for (uint32_t at = start; at < stop; ++at)
                count += peer::haversine(circles[index], grid.places[at]) <= reach;
        });
        return count;
    };
    auto idsIn = [&](size_t index) {
        std::vector<uint32_t> ids;
        grid.visit(circles[index], [&](uint32_t start, uint32_t stop) {
            ids.insert(ids.end(), grid.ids.begin() + start, grid.ids.begin() + stop);
        }, [&](uint32_t start, uint32_t stop) {
            for (uint32_t at = start; at < stop; ++at)
                if (peer::haversine(circles[index], grid.places[at]) <= reach)
                    ids.push_back(grid.ids[at]);
        });
        return ids;
    };
    peer::checkCircles(points, circles, kRadiusMeters, countIn, idsIn);
    peer::ask("index.radius." + suffix, who, circles.size(), runs,
              [&](size_t index) { return double(countIn(index)); }, 0, peer::kChecked);
    peer::ask("index.radius-ids." + suffix, who, circles.size(), runs,
              [&](size_t index) { return double(idsIn(index).size()); }, 0, peer::kChecked);
}
