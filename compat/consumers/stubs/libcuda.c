/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* A CUDA driver for machines without one: programs that are linked to libcuda start, ask for
 * devices and are told that there are none. It has every function that filecoin-proofs' crates
 * name, and those that cuzk asks first. */

enum { NO_DEVICE = 100 };

/* Arguments are left alone, whatever they are. */
#define STUB(name)  \
    int name(void); \
    int name(void) { return NO_DEVICE; }

int cuDriverGetVersion(int* version);
int cuDriverGetVersion(int* version) {
    *version = 13000;
    return 0;
}

int cuGetErrorName(int code, const char** name);
int cuGetErrorName(int code, const char** name) {
    *name = code == NO_DEVICE ? "CUDA_ERROR_NO_DEVICE" : "CUDA_ERROR_UNKNOWN";
    return 0;
}

int cuGetErrorString(int code, const char** text);
int cuGetErrorString(int code, const char** text) {
    *text = code == NO_DEVICE ? "no CUDA-capable device is detected" : "unknown error";
    return 0;
}

STUB(cuArray3DCreate_v2)
STUB(cuArray3DGetDescriptor_v2)
STUB(cuArrayDestroy)
STUB(cuCtxCreate_v2)
STUB(cuCtxDestroy_v2)
STUB(cuCtxGetApiVersion)
STUB(cuCtxGetCacheConfig)
STUB(cuCtxGetCurrent)
STUB(cuCtxGetDevice)
STUB(cuCtxGetFlags)
STUB(cuCtxGetLimit)
STUB(cuCtxGetSharedMemConfig)
STUB(cuCtxGetStreamPriorityRange)
STUB(cuCtxPopCurrent_v2)
STUB(cuCtxPushCurrent_v2)
STUB(cuCtxSetCacheConfig)
STUB(cuCtxSetCurrent)
STUB(cuCtxSetLimit)
STUB(cuCtxSetSharedMemConfig)
STUB(cuCtxSynchronize)
STUB(cuDeviceGet)
STUB(cuDeviceGetAttribute)
STUB(cuDeviceGetCount)
STUB(cuDeviceGetName)
STUB(cuDeviceGetUuid)
STUB(cuDeviceTotalMem_v2)
STUB(cuEventCreate)
STUB(cuEventDestroy_v2)
STUB(cuEventElapsedTime)
STUB(cuEventQuery)
STUB(cuEventRecord)
STUB(cuEventSynchronize)
STUB(cuFuncGetAttribute)
STUB(cuFuncSetCacheConfig)
STUB(cuFuncSetSharedMemConfig)
STUB(cuInit)
STUB(cuLaunchKernel)
STUB(cuMemAllocHost_v2)
STUB(cuMemAllocManaged)
STUB(cuMemAlloc_v2)
STUB(cuMemFreeHost)
STUB(cuMemFree_v2)
STUB(cuMemcpyDtoDAsync_v2)
STUB(cuMemcpyDtoD_v2)
STUB(cuMemcpyDtoHAsync_v2)
STUB(cuMemcpyDtoH_v2)
STUB(cuMemcpyHtoDAsync_v2)
STUB(cuMemcpyHtoD_v2)
STUB(cuMemsetD8_v2)
STUB(cuModuleGetFunction)
STUB(cuModuleGetGlobal_v2)
STUB(cuModuleLoad)
STUB(cuModuleLoadData)
STUB(cuModuleUnload)
STUB(cuStreamAddCallback)
STUB(cuStreamCreateWithPriority)
STUB(cuStreamDestroy_v2)
STUB(cuStreamGetFlags)
STUB(cuStreamGetPriority)
STUB(cuStreamSynchronize)
STUB(cuStreamWaitEvent)
