// SPDX-License-Identifier: MIT OR Apache-2.0
// The header as C++ reads it.
#include "cuzk.h"
#include "cuzk.h"

cuzk_error header_error = CUZK_ERROR_INIT;
cuzk_device header_device = CUZK_DEVICE_INIT;
cuzk_timings header_timings = CUZK_TIMINGS_INIT;
cuzk_context_options header_context_options = CUZK_CONTEXT_OPTIONS_INIT;
cuzk_srs_options header_srs_options = CUZK_SRS_OPTIONS_INIT;
cuzk_srs_shape header_srs_shape = CUZK_SRS_SHAPE_INIT;
cuzk_c2_description header_c2_description = CUZK_C2_DESCRIPTION_INIT;
cuzk_c2_statement header_c2_statement = CUZK_C2_STATEMENT_INIT;
cuzk_c2_request header_c2_request = CUZK_C2_REQUEST_INIT;
cuzk_job_options header_job_options = CUZK_JOB_OPTIONS_INIT;
cuzk_progress header_progress = CUZK_PROGRESS_INIT;

cuzk_status header_use();

cuzk_status header_use() {
    const cuzk_status status = cuzk_device_info(0, &header_device, &header_error);
    return status == CUZK_STATUS_OK ? header_error.status : status;
}
