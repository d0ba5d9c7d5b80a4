#include "COsmium.h"

#include <cstring>
#include <exception>
#include <fstream>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <osmium/area/assembler.hpp>
#include <osmium/handler/node_locations_for_ways.hpp>
#include <osmium/index/map/flex_mem.hpp>
#include <osmium/io/bzip2_compression.hpp>
#include <osmium/io/gzip_compression.hpp>
#include <osmium/io/pbf_input.hpp>
#include <osmium/io/reader.hpp>
#include <osmium/io/xml_input.hpp>
#include <osmium/memory/buffer.hpp>
#include <osmium/osm.hpp>

namespace {

struct Condition {
    std::string key;
    // Empty is any.
    std::string value;
};

struct Feature {
    uint8_t type, shape, problem;
    int64_t id;
    uint32_t tag_count;
    size_t tags, parts, part_count, places;
};

/// The format by the first bytes, since a file that came over the network has no name.
osmium::io::File sniffed(const std::string &path) {
    std::ifstream file{path, std::ios::binary};
    unsigned char head[4] = {0, 0, 0, 0};
    file.read(reinterpret_cast<char *>(head), 4);
    const auto count = file.gcount();
    if (count == 0) { throw std::runtime_error{"the file is empty"}; }
    const char *format = "pbf";
    if (head[0] == 0x1f && head[1] == 0x8b) {
        format = "osm.gz";
    } else if (head[0] == 'B' && head[1] == 'Z' && head[2] == 'h') {
        format = "osm.bz2";
    } else if (head[0] == '<' || head[0] == 0xef || head[0] == ' ' || head[0] == '\n') {
        format = "osm";
    }
    const std::string suffix = ".pbf";
    const bool says_pbf = path.size() >= suffix.size()
        && path.compare(path.size() - suffix.size(), suffix.size(), suffix) == 0;
    if (says_pbf && std::strcmp(format, "pbf") != 0) {
        throw std::runtime_error{"its name says PBF, but it is XML or packed XML"};
    }
    return osmium::io::File{path, format};
}

}  // namespace

/// First the relations, then the nodes, then the ways, so that a file need not be in any order.
struct cosmium_reader {
    using Index = osmium::index::map::FlexMem<osmium::unsigned_object_id_type, osmium::Location>;

    osmium::io::File file;
    // One thread beside the caller's: an import is not to take all processors.
    osmium::thread::Pool pool{1, 8};
    std::unique_ptr<osmium::io::Reader> input;
    std::vector<Condition> filter;
    int pass = 0;
    bool is_over = false;

    Index locations;
    Index negative_locations;
    // Relations that are kept, their ways, and where these stand.
    osmium::memory::Buffer relations{64UL << 10, osmium::memory::Buffer::auto_grow::yes};
    std::unordered_set<osmium::object_id_type> member_ids;
    osmium::memory::Buffer members{64UL << 10, osmium::memory::Buffer::auto_grow::yes};
    std::unordered_map<osmium::object_id_type, size_t> member_places;

    // What is given out one by one.
    std::vector<Feature> features;
    std::vector<char> tags;
    std::vector<cosmium_part> parts;
    std::vector<int32_t> places;
    size_t next = 0;

    bool keeps(const osmium::TagList &list) const {
        for (const auto &tag : list) {
            for (const auto &condition : filter) {
                if (condition.key == tag.key()
                    && (condition.value.empty() || condition.value == tag.value())) {
                    return true;
                }
            }
        }
        return false;
    }

    Feature &add(uint8_t type, int64_t id, const osmium::TagList &list) {
        Feature feature{type, cosmium_none, cosmium_fine, id, 0, tags.size(), parts.size(), 0,
                        places.size()};
        for (const auto &tag : list) {
            tags.insert(tags.end(), tag.key(), tag.key() + std::strlen(tag.key()) + 1);
            tags.insert(tags.end(), tag.value(), tag.value() + std::strlen(tag.value()) + 1);
            feature.tag_count++;
        }
        features.push_back(feature);
        return features.back();
    }

    void add_place(osmium::Location location) {
        places.push_back(location.x());
        places.push_back(location.y());
    }

    void add_nodes(const osmium::NodeRefList &nodes, bool is_inner) {
        cosmium_part part{0, is_inner};
        for (const auto &node : nodes) {
            // What is not in the file, as at the edge of an extract, is left out.
            if (!node.location().valid()) { continue; }
            add_place(node.location());
            part.count++;
        }
        parts.push_back(part);
    }

    osmium::Location location(osmium::object_id_type id) const {
        const auto &index = id < 0 ? negative_locations : locations;
        return index.get_noexcept(static_cast<osmium::unsigned_object_id_type>(id < 0 ? -id : id));
    }

    /// Whether a closed way is an area, as mappers mean it.
    static bool is_area(const osmium::Way &way) {
        if (way.nodes().size() < 4 || !way.ends_have_same_id()) { return false; }
        const auto &tags = way.tags();
        if (const char *area = tags["area"]) { return std::strcmp(area, "no") != 0; }
        for (const char *key : {"highway", "barrier", "railway", "waterway", "power", "route"}) {
            if (tags.has_key(key)) { return false; }
        }
        return !tags.has_tag("natural", "coastline");
    }

    // MARK: Passes

    void take(const osmium::Relation &relation) {
        if (!relation.visible() || !keeps(relation.tags())) { return; }
        const char *type = relation.tags()["type"];
        if (!type || (std::strcmp(type, "multipolygon") != 0 && std::strcmp(type, "boundary") != 0)) {
            add('r', relation.id(), relation.tags()).problem = cosmium_no_area;
            return;
        }
        for (const auto &member : relation.members()) {
            if (member.type() == osmium::item_type::way) { member_ids.insert(member.ref()); }
        }
        relations.add_item(relation);
        relations.commit();
    }

    void take(const osmium::Node &node) {
        if (!node.visible() || !node.location().valid()) { return; }
        auto &index = node.id() < 0 ? negative_locations : locations;
        index.set(
            static_cast<osmium::unsigned_object_id_type>(node.id() < 0 ? -node.id() : node.id()),
            node.location());
        if (!keeps(node.tags())) { return; }
        auto &feature = add('n', node.id(), node.tags());
        feature.shape = cosmium_point;
        add_place(node.location());
    }

    void take(osmium::Way &way) {
        if (!way.visible()) { return; }
        const bool is_member = member_ids.count(way.id()) > 0;
        const bool is_kept = keeps(way.tags());
        if (!is_member && !is_kept) { return; }
        for (auto &node : way.nodes()) { node.set_location(location(node.ref())); }
        if (is_member && member_places.emplace(way.id(), members.committed()).second) {
            members.add_item(way);
            members.commit();
        }
        if (!is_kept) { return; }
        auto &feature = add('w', way.id(), way.tags());
        add_nodes(way.nodes(), false);
        const auto count = parts.back().count;
        feature.part_count = 1;
        if (count == 0) {
            feature.problem = cosmium_no_nodes;
        } else if (count == way.nodes().size() && is_area(way)) {
            feature.shape = cosmium_area;
        } else {
            feature.shape = count == 1 ? cosmium_point : cosmium_line;
        }
    }

    void finish(const osmium::Relation &relation) {
        std::vector<const osmium::Way *> ways;
        bool is_whole = true;
        for (const auto &member : relation.members()) {
            if (member.type() != osmium::item_type::way) { continue; }
            const auto found = member_places.find(member.ref());
            if (found == member_places.end()) {
                is_whole = false;
                break;
            }
            const auto &way = members.get<osmium::Way>(found->second);
            for (const auto &node : way.nodes()) {
                if (!node.location().valid()) { is_whole = false; }
            }
            ways.push_back(&way);
        }
        auto &feature = add('r', relation.id(), relation.tags());
        feature.problem = cosmium_broken_area;
        if (!is_whole || ways.empty()) { return; }
        osmium::memory::Buffer out{16UL << 10, osmium::memory::Buffer::auto_grow::yes};
        osmium::area::AssemblerConfig config;
        osmium::area::Assembler assembler{config};
        if (!assembler(relation, ways, out)) { return; }
        for (const auto &area : out.select<osmium::Area>()) {
            for (const auto &outer : area.outer_rings()) {
                add_nodes(outer, false);
                feature.part_count++;
                for (const auto &inner : area.inner_rings(outer)) {
                    add_nodes(inner, true);
                    feature.part_count++;
                }
            }
        }
        if (feature.part_count > 0) {
            feature.shape = cosmium_area;
            feature.problem = cosmium_fine;
        }
    }

    // MARK: Steps

    void open_pass() {
        static const osmium::osm_entity_bits::type entities[] = {
            osmium::osm_entity_bits::relation, osmium::osm_entity_bits::node,
            osmium::osm_entity_bits::way};
        input = std::make_unique<osmium::io::Reader>(
            file, entities[pass], pool, osmium::io::read_meta::no);
    }

    /// Fills the queue; false at the end.
    bool advance() {
        features.clear();
        tags.clear();
        parts.clear();
        places.clear();
        next = 0;
        while (features.empty() && !is_over) {
            if (!input) { open_pass(); }
            if (auto buffer = input->read()) {
                for (auto &item : buffer) {
                    switch (item.type()) {
                    case osmium::item_type::node: take(static_cast<osmium::Node &>(item)); break;
                    case osmium::item_type::way: take(static_cast<osmium::Way &>(item)); break;
                    case osmium::item_type::relation:
                        take(static_cast<osmium::Relation &>(item));
                        break;
                    default: break;
                    }
                }
                continue;
            }
            input->close();
            input.reset();
            if (pass == 1) {
                locations.sort();
                negative_locations.sort();
            }
            if (++pass < 3) { continue; }
            for (const auto &relation : relations.select<osmium::Relation>()) { finish(relation); }
            is_over = true;
        }
        return !features.empty();
    }
};

namespace {

void tell(const char *what, char *message, size_t size) noexcept {
    if (size == 0) { return; }
    std::strncpy(message, what, size - 1);
    message[size - 1] = '\0';
}

}  // namespace

extern "C" cosmium_reader *cosmium_open(
    const char *path, const char *filter, size_t filter_count, char *message,
    size_t message_size) {
    // No exception may cross into the caller's frames, whatever the library does.
    try {
        std::unique_ptr<cosmium_reader> reader{new cosmium_reader};
        reader->file = sniffed(path);
        for (size_t index = 0; index < filter_count; index++) {
            Condition condition;
            for (auto *side : {&condition.key, &condition.value}) {
                *side = filter;
                filter += side->size() + 1;
            }
            reader->filter.push_back(condition);
        }
        return reader.release();
    } catch (const std::exception &error) {
        tell(error.what(), message, message_size);
    } catch (...) {
        tell("the file cannot be read", message, message_size);
    }
    return nullptr;
}

extern "C" int cosmium_next(
    cosmium_reader *reader, cosmium_feature *feature, char *message, size_t message_size) {
    try {
        if (reader->next == reader->features.size() && !reader->advance()) { return 0; }
        const auto &found = reader->features[reader->next++];
        feature->type = found.type;
        feature->shape = found.shape;
        feature->problem = found.problem;
        feature->id = found.id;
        feature->tag_count = found.tag_count;
        feature->tags = reader->tags.data() + found.tags;
        feature->part_count = static_cast<uint32_t>(found.part_count);
        feature->parts = reader->parts.data() + found.parts;
        feature->places = reader->places.data() + found.places;
        return 1;
    } catch (const std::exception &error) {
        tell(error.what(), message, message_size);
    } catch (...) {
        tell("the file cannot be read", message, message_size);
    }
    return -1;
}

extern "C" double cosmium_progress(const cosmium_reader *reader) {
    if (reader->is_over) { return 1; }
    double share = reader->pass;
    if (reader->input && reader->input->file_size() > 0) {
        share += static_cast<double>(reader->input->offset())
            / static_cast<double>(reader->input->file_size());
    }
    return share / 3;
}

extern "C" void cosmium_close(cosmium_reader *reader) {
    // The library's threads end here, and what they throw at the end is of no interest any more.
    try {
        delete reader;
    } catch (...) {
    }
}
