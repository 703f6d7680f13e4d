/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Every status that a caller can bring about, with a text that says why. */
#include "check.h"

int main(void) {
    cuzk_error error = CUZK_ERROR_INIT;
    cuzk_device info = CUZK_DEVICE_INIT;
    size_t count = 99;

    EXPECT(CUZK_STATUS_INVALID_ARGUMENT, "count_out is null", &error,
           cuzk_device_count(NULL, NULL, &error));
    CHECK(cuzk_device_count(NULL, NULL, NULL) == CUZK_STATUS_INVALID_ARGUMENT);
    OK(&error, cuzk_device_count(&count, NULL, &error));
    EXPECT(CUZK_STATUS_INVALID_ARGUMENT, "device index", &error,
           cuzk_device_info(count, &info, &error));
    EXPECT(CUZK_STATUS_INVALID_ARGUMENT, "device_out is null", &error,
           cuzk_device_info(0, NULL, &error));
    info.struct_size = 3;
    EXPECT(CUZK_STATUS_ABI_MISMATCH, "struct_size is 3", &error,
           cuzk_device_info(0, &info, &error));
    error.struct_size = 0;
    CHECK(cuzk_device_count(&count, NULL, &error) == CUZK_STATUS_ABI_MISMATCH);
    CHECK(error.message[0] == '\0');

    puts("errors: each status with its text");
    return 0;
}
