#include "CSimdjson.h"

#include <new>
#include <simdjson.h>

struct csimdjson_parser {
    simdjson::dom::parser parser;
};

namespace {

int32_t code_of(simdjson::error_code error) noexcept {
    switch (error) {
    case simdjson::SUCCESS: return csimdjson_ok;
    case simdjson::MEMALLOC: return csimdjson_no_memory;
    case simdjson::CAPACITY: return csimdjson_too_large;
    case simdjson::EMPTY: return csimdjson_empty;
    case simdjson::DEPTH_ERROR: return csimdjson_too_deep;
    case simdjson::UTF8_ERROR: return csimdjson_bad_utf8;
    case simdjson::STRING_ERROR:
    case simdjson::UNESCAPED_CHARS:
    case simdjson::UNCLOSED_STRING: return csimdjson_bad_string;
    case simdjson::NUMBER_ERROR:
    case simdjson::NUMBER_OUT_OF_RANGE: return csimdjson_bad_number;
    default: return csimdjson_bad_structure;
    }
}

csimdjson_result failure(int32_t code) noexcept {
    return csimdjson_result{code, nullptr, nullptr};
}

}  // namespace

extern "C" csimdjson_parser *csimdjson_create(void) {
    return new (std::nothrow) csimdjson_parser;
}

extern "C" void csimdjson_destroy(csimdjson_parser *parser) {
    delete parser;
}

extern "C" csimdjson_result csimdjson_parse(
    csimdjson_parser *parser, const uint8_t *bytes, size_t length, size_t max_depth) {
    // No exception may cross into the caller's frames, whatever the library does.
    try {
        auto &dom = parser->parser;
        // The library counts the document itself as one level of containers.
        const size_t library_depth = max_depth + 1;
        if (dom.max_depth() != library_depth || dom.capacity() < length) {
            // One allocation for both: the parser keeps its depth when it later grows by itself.
            const size_t smallest = 1024;
            const auto error = dom.allocate(length < smallest ? smallest : length, library_depth);
            if (error) { return failure(code_of(error)); }
        }
        const auto error = dom.parse(bytes, length, true).error();
        if (error) { return failure(code_of(error)); }
        return csimdjson_result{csimdjson_ok, dom.doc.tape.get(), dom.doc.string_buf.get()};
    } catch (const std::bad_alloc &) {
        return failure(csimdjson_no_memory);
    } catch (...) {
        return failure(csimdjson_bad_structure);
    }
}
