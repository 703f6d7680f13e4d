/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The header stands alone, can be read twice, and passes the strictest
 * warnings in every C since 1999 (header.cpp: in C++17). */
#include "cuzk.h"
#include "cuzk.h"

cuzk_error header_error = CUZK_ERROR_INIT;
cuzk_device header_device = CUZK_DEVICE_INIT;
cuzk_timings header_timings = CUZK_TIMINGS_INIT;

cuzk_status header_use(void);

cuzk_status header_use(void) { return cuzk_device_info(0, &header_device, &header_error); }
