#include "CSimdjson.h"
#include <simdjson.h>

extern "C" const char *csimdjson_version(void) {
    return "3.0.1";
}
