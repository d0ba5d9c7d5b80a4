#pragma once
#include <stdbool.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

/// Formats of pictures. The numbers stand in the child's arguments and report.
enum {
    cvips_jpeg = 1,
    cvips_png = 2,
    cvips_gif = 3,
    cvips_webp = 4,
    cvips_heif = 5,
    cvips_tiff = 6,
};

/// What became of a picture.
enum {
    cvips_ok = 0,
    cvips_no_library = 10,
    cvips_not_decodable = 11,
    cvips_too_many_pixels = 12,
    cvips_not_writable = 13,
};

/// What a picture became.
typedef struct {
    int32_t format;
    int32_t width;
    int32_t height;
} cvips_report;

/// What the process that decodes may use.
typedef struct {
    uint64_t memory_bytes;
    uint64_t cpu_seconds;
    uint64_t output_bytes;
    uint64_t descriptors;
} cvips_limits;

/// Confines this process for good; it dies with the thread that started it. 0, or an errno.
int32_t cvips_confine(const cvips_limits *limits);

/// Refuses this process, for good, every system call that opens a file, a connection or a program.
/// 0, or an errno where the system has no such filters: then the other limits have to do.
int32_t cvips_seal(void);

/// Writes a report to a descriptor. Whether all of it went.
bool cvips_send_report(int32_t output, const cvips_report *report);

/// Reads a picture from `input`, turns it upright, takes its colours to sRGB and all that is no
/// pixel out of it, and writes it to `output`: JPEG, PNG, GIF and WebP in their own format, others
/// as JPEG.
int32_t cvips_convert(
    int32_t input, int32_t output, int32_t format, int64_t max_pixels, cvips_report *report);

/// Reads a picture that ``cvips_convert`` made from `input` and writes a smaller one of at most
/// `width` to `output`; a GIF's first image as PNG.
int32_t cvips_shrink(
    int32_t input, int32_t output, int32_t format, int32_t width, cvips_report *report);

/// How a child ended, when it gave no exit status.
enum {
    cvips_not_started = -1,
    cvips_timed_out = -2,
    cvips_crashed = -3,
};

/// Runs this process's own program with four arguments, `input` as its descriptor 0, `output` as 1,
/// nothing as 2 and a pipe for its report as 3; all others are closed and the environment is empty
/// but for what the loader needs. Waits.
///
/// Returns its exit status, or one of the numbers above.
int32_t cvips_run_child(
    const char *command, const char *task, const char *format, const char *width, int32_t input,
    int32_t output, int32_t timeout_ms, cvips_report *report);

#ifdef __cplusplus
}
#endif
