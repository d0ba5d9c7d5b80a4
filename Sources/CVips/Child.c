// Starting, limiting and ending the process that decodes pictures.
#define _GNU_SOURCE
#include "CVips.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int limit(int what, uint64_t value) {
    struct rlimit both = {value, value};
    return setrlimit(what, &both) == 0 ? 0 : errno;
}

int32_t cvips_confine(const cvips_limits *limits) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_DUMPABLE, 0);
    int failure = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 ? 0 : errno;
    if (!failure) failure = limit(RLIMIT_AS, limits->memory_bytes);
    if (!failure) failure = limit(RLIMIT_CPU, limits->cpu_seconds);
    if (!failure) failure = limit(RLIMIT_FSIZE, limits->output_bytes);
    if (!failure) failure = limit(RLIMIT_NOFILE, limits->descriptors);
    if (!failure) failure = limit(RLIMIT_CORE, 0);
    return failure;
}

bool cvips_send_report(int32_t output, const cvips_report *report) {
    // Less than a pipe takes at once.
    return write(output, report, sizeof *report) == sizeof *report;
}

static int64_t now_ms(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t) time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

// A copy of a descriptor that is none of those which the child's are made of.
static int moved_up(int descriptor) { return fcntl(descriptor, F_DUPFD_CLOEXEC, 16); }

static int spawn(pid_t *child, char *const arguments[], int input, int output, int report) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    if (posix_spawn_file_actions_init(&actions) != 0) return -1;
    if (posix_spawnattr_init(&attributes) != 0) {
        posix_spawn_file_actions_destroy(&actions);
        return -1;
    }
    sigset_t none;
    sigemptyset(&none);
    int failure = posix_spawnattr_setsigmask(&attributes, &none);
    if (!failure) failure = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    if (!failure) failure = posix_spawn_file_actions_adddup2(&actions, input, 0);
    if (!failure) failure = posix_spawn_file_actions_adddup2(&actions, output, 1);
    if (!failure) failure = posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    if (!failure) failure = posix_spawn_file_actions_adddup2(&actions, report, 3);
    if (!failure) failure = posix_spawn_file_actions_addclosefrom_np(&actions, 4);
    if (!failure) failure = posix_spawn_file_actions_addchdir_np(&actions, "/");
    // The service's environment has keys. The loader's path is needed where Swift's libraries
    // are not beside the program; the rest steers libvips: no threads, no files of its own.
    const char *path = getenv("LD_LIBRARY_PATH");
    size_t room = (path ? strlen(path) : 0) + 32;
    char *libraries = malloc(room);
    if (!libraries) failure = ENOMEM;
    if (!failure) {
        snprintf(libraries, room, "LD_LIBRARY_PATH=%s", path ? path : "");
        char *environment[] = {
            "LC_ALL=C", "VIPS_BLOCK_UNTRUSTED=1", "VIPS_CONCURRENCY=1", "VIPS_DISC_THRESHOLD=16g",
            "MALLOC_ARENA_MAX=1", path ? libraries : NULL, NULL,
        };
        failure = posix_spawn(
            child, "/proc/self/exe", &actions, &attributes, arguments, environment);
    }
    free(libraries);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return failure;
}

// Reads the report until the child's end of the pipe is closed or time is over.
static void read_report(int from, int64_t deadline, cvips_report *report) {
    uint8_t *bytes = (uint8_t *) report;
    size_t filled = 0;
    while (1) {
        int64_t left = deadline - now_ms();
        struct pollfd waiting = {from, POLLIN, 0};
        int ready = left > 0 ? poll(&waiting, 1, (int) left) : 0;
        if (ready < 0 && errno == EINTR) continue;
        if (ready <= 0) return;
        uint8_t rest[64];
        ssize_t count = read(from, rest, sizeof rest);
        if (count <= 0) return;
        for (ssize_t index = 0; index < count && filled < sizeof *report; index++)
            bytes[filled++] = rest[index];
    }
}

static int32_t end_of(pid_t child, int64_t deadline) {
    int status = 0;
    while (1) {
        pid_t ended = waitpid(child, &status, WNOHANG);
        if (ended == child) break;
        if (ended < 0 && errno != EINTR) return cvips_crashed;
        if (now_ms() >= deadline) {
            kill(child, SIGKILL);
            while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
            return cvips_timed_out;
        }
        // It has closed its pipe, so that it is ending: this is for the moment between the two.
        struct timespec moment = {0, 500000};
        nanosleep(&moment, NULL);
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : cvips_crashed;
}

int32_t cvips_run_child(
    const char *command, const char *task, const char *format, const char *width, int32_t input,
    int32_t output, int32_t timeout_ms, cvips_report *report) {
    memset(report, 0, sizeof *report);
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return cvips_not_started;
    int from = moved_up(input), to = moved_up(output), up = moved_up(ends[1]);
    close(ends[1]);
    char *arguments[] = {
        "geoservice", (char *) command, (char *) task, (char *) format, (char *) width, NULL,
    };
    pid_t child = 0;
    int failure = from < 0 || to < 0 || up < 0 ? -1 : spawn(&child, arguments, from, to, up);
    if (from >= 0) close(from);
    if (to >= 0) close(to);
    if (up >= 0) close(up);
    int32_t result = cvips_not_started;
    if (failure == 0) {
        int64_t deadline = now_ms() + timeout_ms;
        read_report(ends[0], deadline, report);
        result = end_of(child, deadline);
    }
    close(ends[0]);
    return result;
}
