/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* A driver for tests on machines without one. FAKE_CUDA says how it behaves:
 *   abort      ends the process as soon as it is loaded
 *   no_device  starts with CUDA_ERROR_NO_DEVICE
 *   old        supports CUDA 11.4
 *   empty      starts, and counts no device
 *   pascal     has one device of compute capability 6.1
 *   broken     has one device of compute capability 9.0 whose context cannot be made
 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SUCCESS = 0, NO_DEVICE = 100, DEVICE_UNAVAILABLE = 46 };

static int is(const char *mode) {
  const char *wanted = getenv("FAKE_CUDA");
  return wanted != NULL && strcmp(wanted, mode) == 0;
}

__attribute__((constructor)) static void loaded(void) {
  if (is("abort")) {
    fputs("the driver was loaded\n", stderr);
    abort();
  }
}

int cuDriverGetVersion(int *version) {
  *version = is("old") ? 11040 : 13000;
  return SUCCESS;
}

int cuInit(unsigned flags) {
  (void)flags;
  return is("no_device") ? NO_DEVICE : SUCCESS;
}

int cuDeviceGetCount(int *count) {
  *count = is("empty") ? 0 : 1;
  return SUCCESS;
}

int cuDeviceGet(int *device, int ordinal) {
  *device = ordinal;
  return SUCCESS;
}

int cuDeviceGetName(char *name, int length, int device) {
  (void)device;
  snprintf(name, (size_t)length, "Fake GPU");
  return SUCCESS;
}

int cuDeviceGetUuid_v2(unsigned char uuid[16], int device) {
  (void)device;
  for (int i = 0; i < 16; i++) uuid[i] = (unsigned char)i;
  return SUCCESS;
}

int cuDeviceTotalMem_v2(size_t *bytes, int device) {
  (void)device;
  *bytes = (size_t)8 << 30;
  return SUCCESS;
}

int cuDeviceGetAttribute(int *value, int attribute, int device) {
  (void)device;
  int major = is("pascal") ? 6 : 9;
  int minor = is("pascal") ? 1 : 0;
  *value = attribute == 75 ? major : attribute == 76 ? minor : 0;
  return SUCCESS;
}

int cuDevicePrimaryCtxRetain(void **context, int device) {
  (void)context;
  (void)device;
  return DEVICE_UNAVAILABLE;
}

int cuGetErrorName(int code, const char **name) {
  *name = code == DEVICE_UNAVAILABLE ? "CUDA_ERROR_DEVICE_UNAVAILABLE" : "CUDA_ERROR_OTHER";
  return SUCCESS;
}

int cuGetErrorString(int code, const char **text) {
  *text = code == DEVICE_UNAVAILABLE ? "the device is busy" : "another error";
  return SUCCESS;
}
