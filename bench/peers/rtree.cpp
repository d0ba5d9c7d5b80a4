// Boost's R-tree, packed (STR), one thread: on unit vectors in three dimensions, and on plain
// longitude and latitude with the haversine formula.
//
//   rtree POINTS.f64 FOLDER SUFFIX RUNS     FOLDER has nearest.csv and radius.csv
#include "measure.hpp"

#include <boost/geometry.hpp>
#include <boost/geometry/index/rtree.hpp>
#include <boost/iterator/function_output_iterator.hpp>
#include <random>

namespace bg = boost::geometry;
namespace bgi = boost::geometry::index;
using peer::Place;

constexpr double kRadiusMeters = 500;

using Vector = bg::model::point<double, 3, bg::cs::cartesian>;
using VectorBox = bg::model::box<Vector>;
using Flat = bg::model::point<double, 2, bg::cs::cartesian>;
using FlatBox = bg::model::box<Flat>;

static Vector vectorOf(const Place& place) {
    double lon = place.lon * peer::kRadians, lat = place.lat * peer::kRadians;
    return {std::cos(lat) * std::cos(lon), std::cos(lat) * std::sin(lon), std::sin(lat)};
}

static double squaredChord(const Vector& a, const Vector& b) {
    double x = a.get<0>() - b.get<0>(), y = a.get<1>() - b.get<1>(), z = a.get<2>() - b.get<2>();
    return x * x + y * y + z * z;
}

template <typename Point>
using Tree = bgi::rtree<std::pair<Point, uint32_t>, bgi::quadratic<16>>;

template <typename Point, typename Convert>
static Tree<Point> built(const std::vector<Place>& places, Convert convert) {
    std::vector<std::pair<Point, uint32_t>> entries;
    entries.reserve(places.size());
    for (size_t index = 0; index < places.size(); ++index)
        entries.emplace_back(convert(places[index]), uint32_t(index));
    return Tree<Point>(entries);
}

int main(int argc, char** argv) {
    if (argc != 5) return 2;
    auto points = peer::readPoints(argv[1]);
    std::string folder = argv[2], suffix = argv[3];
    int runs = std::atoi(argv[4]);
    auto centres = peer::readPlaces(folder + "/nearest.csv", 10000);
    auto circles = peer::readPlaces(folder + "/radius.csv", 2000);
    const char* who = "boost R-tree, 3-D";

    double before = peer::residentBytes();
    auto tree = built<Vector>(points, vectorOf);
    double bytes = (peer::residentBytes() - before) / points.size();
    peer::ask("index.build." + suffix, who, 1, runs, [&](size_t) {
        tree = built<Vector>(points, vectorOf);
        return double(tree.size());
    }, bytes);
    std::vector<std::pair<Vector, uint32_t>> found;
    auto tenth = [&](size_t index) {
        found.clear();
        Vector centre = vectorOf(centres[index]);
        tree.query(bgi::nearest(centre, 10), std::back_inserter(found));
        double farthest = 0;
        for (auto& entry : found) farthest = std::max(farthest, squaredChord(centre, entry.first));
        return 2 * peer::kEarthRadiusMeters * std::asin(std::sqrt(farthest) / 2);
    };
    peer::checkNearest(points, centres, tenth);
    peer::ask("index.nearest." + suffix, who, centres.size(), runs, tenth, 0, peer::kChecked);
    double chord = 2 * std::sin(kRadiusMeters / peer::kEarthRadiusMeters / 2);
    auto inCircle = [&](const Place& place, auto out) {
        Vector c = vectorOf(place);
        VectorBox box({c.get<0>() - chord, c.get<1>() - chord, c.get<2>() - chord},
                      {c.get<0>() + chord, c.get<1>() + chord, c.get<2>() + chord});
        tree.query(bgi::intersects(box) && bgi::satisfies([&](auto& entry) {
            return squaredChord(c, entry.first) <= chord * chord;
        }), out);
    };
    auto countIn = [&](size_t index) {
        size_t count = 0;
        inCircle(circles[index], boost::make_function_output_iterator([&](auto&) { ++count; }));
        return count;
    };
    auto idsIn = [&](size_t index) {
        std::vector<uint32_t> ids;
        inCircle(circles[index],
                 boost::make_function_output_iterator([&](auto& e) { ids.push_back(e.second); }));
        return ids;
    };
    peer::checkCircles(points, circles, kRadiusMeters, countIn, idsIn);
    peer::ask("index.radius." + suffix, who, circles.size(), runs,
              [&](size_t index) { return double(countIn(index)); }, 0, peer::kChecked);
    peer::ask("index.radius-ids." + suffix, who, circles.size(), runs,
              [&](size_t index) { return double(idsIn(index).size()); }, 0, peer::kChecked);
    std::mt19937_64 random(11);
    auto moved = points;
    peer::ask("index.move." + suffix, who, 2000, runs, [&](size_t) {
        uint32_t object = random() % points.size(), target = random() % points.size();
        tree.remove(std::make_pair(vectorOf(moved[object]), object));
        moved[object] = points[target];
        tree.insert(std::make_pair(vectorOf(moved[object]), object));
        return 1.0;
    });
    tree.clear();

    auto flat = built<Flat>(points, [](const Place& place) { return Flat(place.lon, place.lat); });
    double reach = peer::haversineOfMeters(kRadiusMeters);
    peer::ask("index.radius." + suffix, "boost R-tree, lon/lat", circles.size(), runs,
              [&](size_t index) {
        const Place& c = circles[index];
        double up = kRadiusMeters / peer::kEarthRadiusMeters / peer::kRadians;
        double side = up / std::cos((std::abs(c.lat) + up) * peer::kRadians);
        FlatBox box({c.lon - side, c.lat - up}, {c.lon + side, c.lat + up});
        size_t count = 0;
        flat.query(bgi::intersects(box) && bgi::satisfies([&](auto& entry) {
            return peer::haversine(c, {entry.first.template get<0>(), entry.first.template get<1>()})
                <= reach;
        }), boost::make_function_output_iterator([&](auto&) { ++count; }));
        return double(count);
    });
}
