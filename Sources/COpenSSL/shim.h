#pragma once
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>

// The public RSA key of a modulus and an exponent, both big-endian; NULL when they make none.
// Parameters are built with macros, which are not imported.
static inline EVP_PKEY *copenssl_rsa_key(
    const unsigned char *modulus, int modulus_length, const unsigned char *exponent,
    int exponent_length) {
    EVP_PKEY *key = NULL;
    OSSL_PARAM *parameters = NULL;
    BIGNUM *n = BN_bin2bn(modulus, modulus_length, NULL);
    BIGNUM *e = BN_bin2bn(exponent, exponent_length, NULL);
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "RSA", NULL);
    if (n && e && builder && context
        && OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_N, n) == 1
        && OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_E, e) == 1
        && (parameters = OSSL_PARAM_BLD_to_param(builder)) != NULL
        && EVP_PKEY_fromdata_init(context) == 1
        && EVP_PKEY_fromdata(context, &key, EVP_PKEY_PUBLIC_KEY, parameters) != 1) {
        EVP_PKEY_free(key);
        key = NULL;
    }
    OSSL_PARAM_free(parameters);
    OSSL_PARAM_BLD_free(builder);
    EVP_PKEY_CTX_free(context);
    BN_free(n);
    BN_free(e);
    return key;
}

// 1 when the signature is RSASSA-PKCS1-v1_5 with SHA-256 of the message.
static inline int copenssl_verify_rs256(
    EVP_PKEY *key, const unsigned char *message, size_t message_length,
    const unsigned char *signature, size_t signature_length) {
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    int verdict = 0;
    if (context && EVP_DigestVerifyInit(context, NULL, EVP_sha256(), NULL, key) == 1)
        verdict = EVP_DigestVerify(
            context, signature, signature_length, message, message_length);
    EVP_MD_CTX_free(context);
    return verdict == 1;
}
