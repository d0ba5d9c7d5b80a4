#pragma once
#ifdef __cplusplus
extern "C" {
#endif
/// The version of the simdjson library in use, as text.
const char *csimdjson_version(void);
#ifdef __cplusplus
}
#endif
