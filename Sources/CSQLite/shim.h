#pragma once
#include <sqlite3.h>

// SQLITE_TRANSIENT is a cast that is not imported: these bind with a copy.
static inline int csqlite_bind_text(sqlite3_stmt *statement, int place, const char *text, int length) {
    return sqlite3_bind_text(statement, place, text, length, SQLITE_TRANSIENT);
}
static inline int csqlite_bind_blob(sqlite3_stmt *statement, int place, const void *bytes, int length) {
    return sqlite3_bind_blob(statement, place, bytes, length, SQLITE_TRANSIENT);
}
// sqlite3_db_config is variadic.
static inline int csqlite_set_defensive(sqlite3 *database) {
    int code = sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
    if (code != SQLITE_OK) return code;
    return sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)0);
}
