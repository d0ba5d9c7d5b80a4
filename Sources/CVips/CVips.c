// The few calls of libvips that this service makes, in the process that decodes pictures.
//
// The library is loaded by that process when it needs it: the service itself never has it in its
// memory, nor the hundred libraries behind it. So nothing of its headers is used here; the
// prototypes and numbers below are those of libvips 8.14 (soname 42), which keeps them.
#define _GNU_SOURCE
#include "CVips.h"
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct image image;

enum {
    access_sequential = 1,
    fail_on_truncated = 1,
    size_down = 2,
    // Interpretations.
    black_white = 1,
    srgb = 22,
    rgb16 = 25,
    grey16 = 26,
    any_height = 10000000,
    most_pages = 1000,
};

typedef int loader(void *bytes, size_t count, image **out, ...);
typedef int saver(image *in, void **bytes, size_t *count, ...);
typedef int change(image *in, image **out, ...);

static struct {
    int (*init)(const char *);
    void (*block_untrusted)(int);
    void (*cache_set_max)(int);
    int (*width)(const image *);
    int (*height)(const image *);
    int (*pages)(const image *);
    int (*page_height)(image *);
    int (*orientation)(image *);
    int (*interpretation)(const image *);
    int (*bands)(const image *);
    int (*has_alpha)(const image *);
    unsigned long (*type_of)(const image *, const char *);
    char **(*fields)(const image *);
    int (*remove)(image *, const char *);
    image *(*copy_memory)(image *);
    change *copy, *autorot, *flatten;
    int (*colourspace)(image *, image **, int, ...);
    int (*icc)(image *, image **, const char *, ...);
    int (*thumbnail)(void *, size_t, image **, int, ...);
    void (*unref)(void *);
    void (*free_texts)(char **);
    void *library;
} vips;

static int load_library(void) {
    void *library = dlopen("libvips.so.42", RTLD_NOW | RTLD_GLOBAL);
    if (!library) return 0;
    vips.library = library;
    struct {
        void *slot;
        const char *name;
    } symbols[] = {
        {&vips.init, "vips_init"},
        {&vips.block_untrusted, "vips_block_untrusted_set"},
        {&vips.cache_set_max, "vips_cache_set_max"},
        {&vips.width, "vips_image_get_width"},
        {&vips.height, "vips_image_get_height"},
        {&vips.pages, "vips_image_get_n_pages"},
        {&vips.page_height, "vips_image_get_page_height"},
        {&vips.orientation, "vips_image_get_orientation"},
        {&vips.interpretation, "vips_image_get_interpretation"},
        {&vips.bands, "vips_image_get_bands"},
        {&vips.has_alpha, "vips_image_hasalpha"},
        {&vips.type_of, "vips_image_get_typeof"},
        {&vips.fields, "vips_image_get_fields"},
        {&vips.remove, "vips_image_remove"},
        {&vips.copy_memory, "vips_image_copy_memory"},
        {&vips.copy, "vips_copy"},
        {&vips.autorot, "vips_autorot"},
        {&vips.flatten, "vips_flatten"},
        {&vips.colourspace, "vips_colourspace"},
        {&vips.icc, "vips_icc_transform"},
        {&vips.thumbnail, "vips_thumbnail_buffer"},
        {&vips.unref, "g_object_unref"},
        {&vips.free_texts, "g_strfreev"},
    };
    for (size_t index = 0; index < sizeof symbols / sizeof *symbols; index++) {
        void *found = dlsym(library, symbols[index].name);
        if (!found) return 0;
        memcpy(symbols[index].slot, &found, sizeof found);
    }
    if (vips.init("geoservice") != 0) return 0;
    vips.block_untrusted(1);
    vips.cache_set_max(0);
    // Everything is loaded now: decoding opens nothing more. Some containers have no such filter.
    cvips_seal();
    return 1;
}

static void *symbol(const char *name) { return dlsym(vips.library, name); }

static void drop(image **picture) {
    if (*picture) vips.unref(*picture);
    *picture = NULL;
}

// Puts the outcome of a step in the place of what went into it.
static void put(image **picture, image *next) {
    drop(picture);
    *picture = next;
}

// Only the loader of the format that the bytes were found to be; no other is asked.
static image *load(void *bytes, size_t count, int32_t format) {
    image *picture = NULL;
    int failure = 1;
    const char *name = format == cvips_jpeg   ? "vips_jpegload_buffer"
                       : format == cvips_png  ? "vips_pngload_buffer"
                       : format == cvips_gif  ? "vips_gifload_buffer"
                       : format == cvips_webp ? "vips_webpload_buffer"
                       : format == cvips_heif ? "vips_heifload_buffer"
                       : format == cvips_tiff ? "vips_tiffload_buffer"
                                              : NULL;
    loader *read = NULL;
    if (name) {
        void *found = symbol(name);
        memcpy(&read, &found, sizeof found);
    }
    if (!read) return NULL;
    if (format == cvips_gif || format == cvips_webp)
        failure = read(bytes, count, &picture, "n", -1, "access", access_sequential, "fail_on",
                       fail_on_truncated, NULL);
    else
        failure = read(bytes, count, &picture, "access", access_sequential, "fail_on",
                       fail_on_truncated, NULL);
    return failure == 0 ? picture : NULL;
}

// Takes out everything that is no pixel and does not say how images follow each other.
static int strip(image **picture) {
    static const char *kept[] = {"page-height", "n-pages", "delay", "loop"};
    image *own = NULL;
    if (vips.copy(*picture, &own, NULL) != 0) return 0;
    char **names = vips.fields(own);
    for (char **name = names; name && *name; name++) {
        int stays = 0;
        for (size_t index = 0; index < sizeof kept / sizeof *kept; index++)
            stays = stays || strcmp(*name, kept[index]) == 0;
        if (!stays) vips.remove(own, *name);
    }
    if (names) vips.free_texts(names);
    put(picture, own);
    return 1;
}

// Upright, in sRGB or grey, without metadata.
static int normalize(image **picture, int32_t format) {
    if (format != cvips_gif && vips.orientation(*picture) > 1) {
        // Turning needs the picture as a whole, not line by line.
        image *whole = vips.copy_memory(*picture);
        if (!whole) return 0;
        put(picture, whole);
        image *upright = NULL;
        if (vips.autorot(*picture, &upright, NULL) != 0) return 0;
        put(picture, upright);
    }
    int space = vips.interpretation(*picture);
    int is_deep = space == rgb16 || space == grey16;
    image *next = NULL;
    if (vips.type_of(*picture, "icc-profile-data") != 0 &&
        vips.icc(*picture, &next, "srgb", "embedded", 1, "depth", is_deep ? 16 : 8, NULL) == 0)
        put(picture, next);
    else
        drop(&next);  // A profile that cannot be used is as if it were not there.
    space = vips.interpretation(*picture);
    is_deep = space == rgb16 || space == grey16;
    int wanted = vips.bands(*picture) < 3 ? (is_deep ? grey16 : black_white)
                                          : (is_deep ? rgb16 : srgb);
    if (format != cvips_png && wanted == rgb16) wanted = srgb;
    if (format != cvips_png && wanted == grey16) wanted = black_white;
    if (space != wanted) {
        next = NULL;
        if (vips.colourspace(*picture, &next, wanted, NULL) != 0) return 0;
        put(picture, next);
    }
    int keeps_alpha = format == cvips_png || format == cvips_gif || format == cvips_webp;
    if (!keeps_alpha && vips.has_alpha(*picture)) {
        next = NULL;
        void *found = symbol("vips_array_double_new");
        void *(*make)(const double *, int) = NULL;
        memcpy(&make, &found, sizeof found);
        found = symbol("vips_area_unref");
        void (*release)(void *) = NULL;
        memcpy(&release, &found, sizeof found);
        if (!make || !release) return 0;
        double white[] = {255, 255, 255};
        void *background = make(white, vips.bands(*picture) < 4 ? 1 : 3);
        int failure = vips.flatten(*picture, &next, "background", background, NULL);
        release(background);
        if (failure != 0) return 0;
        put(picture, next);
    }
    return strip(picture);
}

static int write_all(int32_t output, const uint8_t *bytes, size_t count) {
    while (count > 0) {
        ssize_t written = write(output, bytes, count);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return 0;
        bytes += written;
        count -= (size_t) written;
    }
    return 1;
}

static size_t chunk_bytes(const uint8_t *chunk) {
    size_t content = chunk[4] | (size_t) chunk[5] << 8 | (size_t) chunk[6] << 16 |
                     (size_t) chunk[7] << 24;
    return 8 + content + (content & 1);
}

// Takes the chunks of metadata out of a WebP file: libvips writes an Exif one of its own, asked or
// not. The file is our own encoder's, but is not trusted to be whole. (RFC 9649 §2.7.)
static size_t strip_webp(uint8_t *bytes, size_t count) {
    if (count < 12) return count;
    size_t from = 12, to = 12;
    while (count - from >= 8) {
        size_t size = chunk_bytes(bytes + from);
        if (size > count - from) size = count - from;
        const char *type = (const char *) bytes + from;
        int is_remark = memcmp(type, "EXIF", 4) == 0 || memcmp(type, "XMP ", 4) == 0 ||
                        memcmp(type, "ICCP", 4) == 0;
        if (memcmp(type, "VP8X", 4) == 0 && size > 8)
            bytes[from + 8] &= (uint8_t) ~0x2c;  // The flags that say so.
        if (!is_remark) {
            memmove(bytes + to, bytes + from, size);
            to += size;
        }
        from += size;
    }
    size_t content = to - 8;
    for (int place = 0; place < 4; place++) bytes[4 + place] = (uint8_t) (content >> (8 * place));
    return to;
}

// Encodes a picture and writes it.
static int32_t save(image *picture, int32_t output, int32_t format, int quality) {
    void *bytes = NULL;
    size_t count = 0;
    const char *name = format == cvips_png    ? "vips_pngsave_buffer"
                       : format == cvips_gif  ? "vips_gifsave_buffer"
                       : format == cvips_webp ? "vips_webpsave_buffer"
                                              : "vips_jpegsave_buffer";
    void *found = symbol(name);
    saver *encode = NULL;
    memcpy(&encode, &found, sizeof found);
    if (!encode) return cvips_no_library;
    int failure;
    switch (format) {
    case cvips_png: failure = encode(picture, &bytes, &count, "strip", 1, NULL); break;
    // What says how its images follow each other has to stay.
    case cvips_gif: failure = encode(picture, &bytes, &count, NULL); break;
    case cvips_webp:
        failure = encode(picture, &bytes, &count, "strip", 1, "Q", quality, NULL);
        break;
    default:
        failure = encode(
            picture, &bytes, &count, "strip", 1, "Q", quality, "optimize_coding", 1, NULL);
    }
    if (failure == 0 && format == cvips_webp) count = strip_webp(bytes, count);
    if (failure != 0) return cvips_not_decodable;  // Pixels are decoded while they are encoded.
    return write_all(output, bytes, count) ? cvips_ok : cvips_not_writable;
}

// The whole of a file; NULL when it is empty or cannot be read.
static void *map_file(int32_t input, size_t *count) {
    struct stat status;
    if (fstat(input, &status) != 0 || status.st_size <= 0) return NULL;
    *count = (size_t) status.st_size;
    void *bytes = mmap(NULL, *count, PROT_READ, MAP_PRIVATE, input, 0);
    return bytes == MAP_FAILED ? NULL : bytes;
}

int32_t cvips_convert(
    int32_t input, int32_t output, int32_t format, int64_t max_pixels, cvips_report *report) {
    size_t count = 0;
    void *bytes = map_file(input, &count);
    if (!bytes) return cvips_not_decodable;
    if (!load_library()) return cvips_no_library;
    image *picture = load(bytes, count, format);
    if (!picture) return cvips_not_decodable;
    int64_t pixels = (int64_t) vips.width(picture) * vips.height(picture);
    if (pixels > max_pixels || vips.pages(picture) > most_pages) return cvips_too_many_pixels;
    if (!normalize(&picture, format)) return cvips_not_decodable;
    report->format = format == cvips_heif || format == cvips_tiff ? cvips_jpeg : format;
    report->width = vips.width(picture);
    report->height = vips.page_height(picture);
    return save(picture, output, report->format, 90);
}

int32_t cvips_shrink(
    int32_t input, int32_t output, int32_t format, int32_t width, cvips_report *report) {
    size_t count = 0;
    void *bytes = map_file(input, &count);
    if (!bytes) return cvips_not_decodable;
    if (!load_library()) return cvips_no_library;
    image *picture = NULL;
    int failure = vips.thumbnail(
        bytes, count, &picture, width, "height", any_height, "size", size_down, "no_rotate", 1,
        NULL);
    if (failure != 0 || !strip(&picture)) return cvips_not_decodable;
    report->format = format == cvips_gif ? cvips_png : format;
    report->width = vips.width(picture);
    report->height = vips.height(picture);
    return save(picture, output, report->format, 82);
}
