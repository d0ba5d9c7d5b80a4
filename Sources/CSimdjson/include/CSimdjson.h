#pragma once
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

/// A reusable parser with its buffers. Used by one thread at a time.
typedef struct csimdjson_parser csimdjson_parser;

/// What became of a text.
enum {
    csimdjson_ok = 0,
    csimdjson_no_memory = 1,
    csimdjson_empty = 2,
    csimdjson_too_deep = 3,
    csimdjson_bad_utf8 = 4,
    csimdjson_bad_string = 5,
    csimdjson_bad_number = 6,
    csimdjson_bad_structure = 7,
    csimdjson_too_large = 8,
};

/// The tape of a parsed text, valid until the parser's next use. Layout: simdjson's doc/tape.md.
typedef struct {
    int32_t code;
    const uint64_t *tape;
    const uint8_t *strings;
} csimdjson_result;

/// A new parser, or NULL without memory.
csimdjson_parser *csimdjson_create(void);
/// Frees a parser. NULL is allowed.
void csimdjson_destroy(csimdjson_parser *parser);
/// Parses `length` bytes. Objects and arrays may nest `max_depth` levels.
csimdjson_result csimdjson_parse(
    csimdjson_parser *parser, const uint8_t *bytes, size_t length, size_t max_depth);

#ifdef __cplusplus
}
#endif
