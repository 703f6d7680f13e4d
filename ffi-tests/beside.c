/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* usage: beside SMALL_CIRCUIT_FOLDER
 * A program with libcuzk.so and a static library that has another blst and
 * another create_SRS: each uses its own. */
#include <dlfcn.h>

#include "circuit.h"

bool create_SRS(uint8_t* out, uint8_t n);
const void* beside_blst(void);

/* Five times the generator of G1, as every implementation compresses it. */
static const char five[] =
    "b0e7791fb972fe014159aa33a98622da3cdc98ff707965e536d8636b5fcc5ac7a91a8c46e59a00dca575af0f18fb13"
    "dc";

static void the_other_is_itself(void) {
    uint8_t bytes[48];
    char text[97];
    CHECK(create_SRS(bytes, 5));
    for (size_t i = 0; i < 48; i++) snprintf(text + 2 * i, 3, "%02x", bytes[i]);
    CHECK(strcmp(text, five) == 0);
}

static void* home_of(const void* address) {
    Dl_info info;
    CHECK(dladdr(address, &info));
    return info.dli_fbase;
}

int main(int argc, char** argv) {
    CHECK(argc == 2);
    cuzk_error error = CUZK_ERROR_INIT;
    small_circuit circuit = read_small_circuit(argv[1]);
    the_other_is_itself();

    cuzk_context* context = NULL;
    cuzk_context_options options = CUZK_CONTEXT_OPTIONS_INIT;
    options.backend = CUZK_BACKEND_CPU;
    OK(&error, cuzk_context_new(&options, &context, &error));
    cuzk_srs* srs = NULL;
    OK(&error, cuzk_srs_open(context, circuit.params, NULL, &srs, &error));
    cuzk_proof proof;
    OK(&error, cuzk_prove(context, srs, &circuit.assignment, 1, NULL, &proof, NULL, &error));
    CHECK(small_circuit_valid(srs, &circuit, &proof));
    the_other_is_itself();
    OK(&error, cuzk_prove(context, srs, &circuit.assignment, 1, NULL, &proof, NULL, &error));
    CHECK(small_circuit_valid(srs, &circuit, &proof));
    cuzk_srs_release(srs);
    cuzk_context_free(context);
    free(circuit.words);

    /* The other's blst is in the program, cuzk in its library, and the library
     * gives no blst away. */
    const void* library = dlsym(RTLD_DEFAULT, "cuzk_prove");
    CHECK(library && home_of(beside_blst()) != home_of(library));
    void* alone = dlopen("libcuzk.so", RTLD_NOW | RTLD_NOLOAD);
    if (!alone) alone = dlopen("libcuzk.so.1", RTLD_NOW | RTLD_NOLOAD);
    CHECK(alone && dlsym(alone, "cuzk_prove") && !dlsym(alone, "create_SRS"));
    CHECK(dlclose(alone) == 0);
    puts("beside: another blst and another create_SRS, each its own");
    return 0;
}
