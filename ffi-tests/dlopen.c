/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* usage: dlopen LIBRARY NAME...
 * Loads the library as a language binding does: its ABI number before anything
 * else, then every function by name. No CUDA driver is needed for that. */
#include <dlfcn.h>

#include "check.h"

int main(int argc, char** argv) {
    CHECK(argc > 2);
    void* library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }

    uint32_t (*abi_version)(void);
    *(void**)&abi_version = dlsym(library, "cuzk_abi_version");
    CHECK(abi_version && abi_version() == CUZK_ABI_VERSION);

    for (int i = 2; i < argc; i++) {
        if (!dlsym(library, argv[i])) {
            fprintf(stderr, "%s\n", dlerror());
            return 1;
        }
    }

    cuzk_status (*device_count)(size_t*, const char**, cuzk_error*);
    *(void**)&device_count = dlsym(library, "cuzk_device_count");
    size_t count = 99;
    const char* reason = "";
    CHECK(device_count(&count, &reason, NULL) == CUZK_STATUS_OK);
    CHECK(count < 99 && (count == 0) == (reason != NULL));

    CHECK(dlclose(library) == 0);
    printf("dlopen: ABI %u, %d functions\n", CUZK_ABI_VERSION, argc - 2);
    return 0;
}
