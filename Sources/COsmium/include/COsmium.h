#pragma once
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

/// A file that is read in three passes. Used by one thread at a time.
typedef struct cosmium_reader cosmium_reader;

/// What an object's geometry is.
enum {
    cosmium_none = 0,
    cosmium_point = 1,
    cosmium_line = 2,
    /// Rings; each outer ring is followed by its inner ones.
    cosmium_area = 3,
};

/// Why an object has no geometry.
enum {
    cosmium_fine = 0,
    /// Too few of its nodes are in the file.
    cosmium_no_nodes = 1,
    /// The relation is neither a multipolygon nor a boundary.
    cosmium_no_area = 2,
    /// The ways of the relation are not all there or make no rings.
    cosmium_broken_area = 3,
};

/// A ring or a line: how many places it has, and whether it is an inner ring.
typedef struct {
    uint32_t count;
    uint32_t is_inner;
} cosmium_part;

/// An object that the filter keeps. Everything is valid until the next call.
typedef struct {
    /// 'n', 'w' or 'r'.
    uint8_t type;
    uint8_t shape;
    uint8_t problem;
    int64_t id;
    uint32_t tag_count;
    /// Keys and values by turns, each ended by a NUL.
    const char *tags;
    uint32_t part_count;
    const cosmium_part *parts;
    /// Longitude and latitude by turns, in units of 1e-7 degrees.
    const int32_t *places;
} cosmium_feature;

/// Opens a file: PBF, or XML, plain or packed by gzip or bzip2, whatever its name.
///
/// `filter` has `filter_count` keys and values by turns, each ended by a NUL: an object is kept when
/// it has one of the keys with the value behind it; an empty value is any.
/// NULL means failure, and `message` says why.
cosmium_reader *cosmium_open(
    const char *path, const char *filter, size_t filter_count, char *message,
    size_t message_size);
/// The next object: 1. At the end 0, and -1 when the file cannot be read on.
int cosmium_next(
    cosmium_reader *reader, cosmium_feature *feature, char *message, size_t message_size);
/// The share of the work that is done, in 0...1.
double cosmium_progress(const cosmium_reader *reader);
/// Closes the file. NULL is allowed.
void cosmium_close(cosmium_reader *reader);

#ifdef __cplusplus
}
#endif
