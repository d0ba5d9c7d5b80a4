#pragma once
#include <curl/curl.h>

// Swift cannot call variadic functions: the few that are needed, in plain form.

static inline CURLcode ccurl_global_init(void) {
    return curl_global_init(CURL_GLOBAL_DEFAULT);
}
static inline CURLcode ccurl_set_number(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}
static inline CURLcode ccurl_set_size(CURL *handle, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(handle, option, value);
}
static inline CURLcode ccurl_set_text(CURL *handle, CURLoption option, const char *value) {
    return curl_easy_setopt(handle, option, value);
}
static inline CURLcode ccurl_set_list(CURL *handle, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(handle, option, value);
}
typedef size_t (*ccurl_transfer)(char *bytes, size_t size, size_t count, void *context);
static inline CURLcode ccurl_set_reader(CURL *handle, ccurl_transfer read, void *context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_READFUNCTION, read);
    return code != CURLE_OK ? code : curl_easy_setopt(handle, CURLOPT_READDATA, context);
}
static inline CURLcode ccurl_set_writer(CURL *handle, ccurl_transfer write, void *context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, write);
    return code != CURLE_OK ? code : curl_easy_setopt(handle, CURLOPT_WRITEDATA, context);
}
static inline long ccurl_status(CURL *handle) {
    long status = 0;
    return curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status) == CURLE_OK ? status : 0;
}
static inline curl_off_t ccurl_content_length(CURL *handle) {
    curl_off_t length = -1;
    return curl_easy_getinfo(handle, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length) == CURLE_OK
        ? length : -1;
}
static inline const char *ccurl_content_type(CURL *handle) {
    char *type = NULL;
    return curl_easy_getinfo(handle, CURLINFO_CONTENT_TYPE, &type) == CURLE_OK ? type : NULL;
}
