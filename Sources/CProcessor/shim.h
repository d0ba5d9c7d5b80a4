#pragma once
#include <sys/syscall.h>
#include <unistd.h>

/// Asks the processor to fetch the cache line of an address, which is going to be read. Never
/// faults, whatever the address.
static inline void geo_prefetch(const void *address) { __builtin_prefetch(address, 0, 3); }

/// The sine and the cosine of an angle in radians, together for little more than the price of one.
static inline void geo_sincos(double angle, double *sine, double *cosine)
{
    __builtin_sincos(angle, sine, cosine);
}

/// How many processors this thread may run on, which a container or `taskset` may have made fewer
/// than the machine has; 1 at least.
static inline long geo_usable_processors(void)
{
    unsigned long set[1024 / sizeof(long)] = {0};
    long bytes = syscall(SYS_sched_getaffinity, 0, sizeof set, set);
    // A kernel for more processors than the set has room for.
    if (bytes <= 0) return sysconf(_SC_NPROCESSORS_ONLN) > 0 ? sysconf(_SC_NPROCESSORS_ONLN) : 1;
    long count = 0;
    for (unsigned long word = 0; word < bytes / sizeof(long); word++)
        count += __builtin_popcountl(set[word]);
    return count > 0 ? count : 1;
}
