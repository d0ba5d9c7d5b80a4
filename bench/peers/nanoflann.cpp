// nanoflann's k-d tree on unit vectors in three dimensions, one thread. It cannot be changed once
// it is built, and a circle's answer is always a list of pairs of number and distance.
//
//   nanoflann POINTS.f64 FOLDER SUFFIX RUNS     FOLDER has nearest.csv and radius.csv
#include "measure.hpp"

#include <array>
#include <memory>
#include <nanoflann.hpp>

using peer::Place;

constexpr double kRadiusMeters = 500;
constexpr size_t kLeafSize = 16;

using Vector = std::array<double, 3>;

static Vector vectorOf(const Place& place) {
    double lon = place.lon * peer::kRadians, lat = place.lat * peer::kRadians;
    return {std::cos(lat) * std::cos(lon), std::cos(lat) * std::sin(lon), std::sin(lat)};
}

// The points, as the library wants to see them.
struct Cloud {
    std::vector<Vector> vectors;

    size_t kdtree_get_point_count() const { return vectors.size(); }
    double kdtree_get_pt(size_t index, size_t dimension) const { return vectors[index][dimension]; }
    template <class Box>
    bool kdtree_get_bbox(Box&) const { return false; }
};

using Tree = nanoflann::KDTreeSingleIndexAdaptor<
    nanoflann::L2_Simple_Adaptor<double, Cloud>, Cloud, 3, uint32_t>;

// The vectors and the tree over them, which refers to them.
struct Index {
    Cloud cloud;
    std::unique_ptr<Tree> tree;

    explicit Index(const std::vector<Place>& points) {
        cloud.vectors.reserve(points.size());
        for (auto& point : points) cloud.vectors.push_back(vectorOf(point));
        nanoflann::KDTreeSingleIndexAdaptorParams parameters(kLeafSize);
        tree = std::make_unique<Tree>(3, cloud, parameters);
        tree->buildIndex();
    }
};

int main(int argc, char** argv) {
    if (argc != 5) return 2;
    auto points = peer::readPoints(argv[1]);
    std::string folder = argv[2], suffix = argv[3];
    int runs = std::atoi(argv[4]);
    auto centres = peer::readPlaces(folder + "/nearest.csv", 10000);
    auto circles = peer::readPlaces(folder + "/radius.csv", 2000);
    const char* who = "nanoflann, 3-D";

    double before = peer::residentBytes(), bytes = 0;
    std::unique_ptr<Index> index;
    // At 10 M it builds for a minute: once must do.
    peer::ask("index.build." + suffix, who, 1, points.size() > 1000000 ? 1 : runs, [&](size_t) {
        bool isFirst = !index;
        index = std::make_unique<Index>(points);
        if (isFirst) bytes = (peer::residentBytes() - before) / points.size();
        return double(points.size());
    }, bytes);

    auto tenth = [&](size_t number) {
        std::array<uint32_t, 10> ids;
        std::array<double, 10> squares;
        Vector centre = vectorOf(centres[number]);
        size_t found = index->tree->knnSearch(centre.data(), 10, ids.data(), squares.data());
        double farthest = found == 0 ? 0 : squares[found - 1];
        return 2 * peer::kEarthRadiusMeters * std::asin(std::sqrt(farthest) / 2);
    };
    peer::checkNearest(points, centres, tenth);
    peer::ask("index.nearest." + suffix, who, centres.size(), runs, tenth, 0, peer::kChecked);

    double chord = 2 * std::sin(kRadiusMeters / peer::kEarthRadiusMeters / 2);
    nanoflann::SearchParams unsorted;
    unsorted.sorted = false;
    std::vector<std::pair<uint32_t, double>> inside;
    auto countIn = [&](size_t number) {
        Vector centre = vectorOf(circles[number]);
        inside.clear();
        return index->tree->radiusSearch(centre.data(), chord * chord, inside, unsorted);
    };
    peer::checkCircles(points, circles, kRadiusMeters, countIn, [&](size_t number) {
        countIn(number);
        std::vector<uint32_t> ids;
        for (auto& pair : inside) ids.push_back(pair.first);
        return ids;
    });
    peer::ask("index.radius-ids." + suffix, who, circles.size(), runs,
              [&](size_t number) { return double(countIn(number)); }, 0, peer::kChecked);
}
