/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* What the C tests share: a program says what failed and where, and ends with
 * 1; when all is well it prints one line and ends with 0. */
#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuzk.h"

/* Ends the program unless the condition holds. */
#define CHECK(condition)                                                            \
    do {                                                                            \
        if (!(condition)) {                                                         \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
            exit(1);                                                                \
        }                                                                           \
    } while (0)

/* Ends the program unless a call returned the status, with the error filled
 * in as promised: status and a text of one line, in which `part` occurs. */
#define EXPECT(wanted, part, error, call) \
    expect((wanted), (part), (error), (call), __FILE__, __LINE__, #call)

/* Ends the program unless a call succeeded. */
#define OK(error, call) expect(CUZK_STATUS_OK, "", (error), (call), __FILE__, __LINE__, #call)

static inline void expect(cuzk_status wanted, const char* part, cuzk_error* error,
                          cuzk_status status, const char* file, int line, const char* call) {
    if (status != wanted) {
        fprintf(stderr, "%s:%d: %s returned %s, %s wanted: %s\n", file, line, call,
                cuzk_status_name(status), cuzk_status_name(wanted),
                status == CUZK_STATUS_OK ? "" : error->message);
        exit(1);
    }
    if (status == CUZK_STATUS_OK) return;
    if (error->status != status || error->message[0] == '\0' || strchr(error->message, '\n') ||
        !strstr(error->message, part)) {
        fprintf(stderr, "%s:%d: %s: status %s, text \"%s\", \"%s\" wanted in it\n", file, line,
                call, cuzk_status_name(error->status), error->message, part);
        exit(1);
    }
    memset(error->message, 0, sizeof error->message);
    error->status = CUZK_STATUS_OK;
}

/* Reads a whole file; the caller frees it. */
static inline unsigned char* read_file(const char* path, size_t* size_out) {
    FILE* file = fopen(path, "rb");
    if (!file) {
        perror(path);
        exit(1);
    }
    CHECK(fseek(file, 0, SEEK_END) == 0);
    long size = ftell(file);
    CHECK(size >= 0 && fseek(file, 0, SEEK_SET) == 0);
    unsigned char* bytes = malloc((size_t)size + 1);
    CHECK(bytes && fread(bytes, 1, (size_t)size, file) == (size_t)size);
    fclose(file);
    bytes[size] = 0;
    *size_out = (size_t)size;
    return bytes;
}

#endif
