#pragma once

/// Asks the processor to fetch the cache line of an address, which is going to be read. Never
/// faults, whatever the address.
static inline void geo_prefetch(const void *address) { __builtin_prefetch(address, 0, 3); }
