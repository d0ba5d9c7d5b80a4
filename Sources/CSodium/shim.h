#pragma once
#include <sodium.h>

// Sizes that are macros of macros, which are not imported.
static inline size_t csodium_pwhash_text_bytes(void) { return crypto_pwhash_STRBYTES; }
static inline unsigned long long csodium_pwhash_passes(void) {
    return crypto_pwhash_OPSLIMIT_INTERACTIVE;
}
// argon2id by name, whatever the library's default becomes.
static inline int csodium_pwhash_text(
    char *text, const char *password, unsigned long long length, unsigned long long passes,
    size_t memory) {
    return crypto_pwhash_str_alg(
        text, password, length, passes, memory, crypto_pwhash_ALG_ARGON2ID13);
}
