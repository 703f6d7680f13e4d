#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Writes constants.h: everything about BLS12-381's two fields that a program can compute.

    python3 constants.py > constants.h

The two moduli are the only data; Fr's generator 7 and its two-adicity 32 follow from r.
"""
P = 0x1A0111EA397FE69A4B1BA7B6434BACD764774B84F38512BF6730D2A0F6B0F6241EABFFFEB153FFFFB9FEFFFFFFFFAAAB
R = 0x73EDA753299D7D483339D80809A1D80553BDA402FFFE5BFEFFFFFFFF00000001
GENERATOR = 7


def limbs(value, count):
    words = [f"0x{value >> (32 * i) & 0xFFFFFFFF:08x}u" for i in range(count)]
    lines = [", ".join(words[i : i + 4]) for i in range(0, count, 4)]
    return "{\n            " + ",\n            ".join(lines) + "}"


def table(name, value, count, comment):
    print(f"    // {comment}")
    print(f"    CUZK_HD static constexpr uint32_t {name}(int i) {{")
    print(f"        constexpr uint32_t t[{count}] = {limbs(value, count)};")
    print("        return t[i];")
    print("    }")


def field(name, modulus, count):
    radix = 1 << (32 * count)
    print(f"struct {name} {{")
    print(f"    static constexpr int N = {count};")
    print("    // -1/modulus mod 2^32 and mod 2^64")
    print(f"    static constexpr uint32_t NEG_INV32 = 0x{-pow(modulus, -1, 2**32) % 2**32:08x}u;")
    print(f"    static constexpr uint64_t NEG_INV64 = 0x{-pow(modulus, -1, 2**64) % 2**64:016x}ull;")
    table("modulus", modulus, count, "the modulus m")
    table("modulus2", 2 * modulus, count, "2 m")
    table("one", radix % modulus, count, "R mod m, R = 2^(32 N): one in Montgomery form")
    table("r2", radix**2 % modulus, count, "R^2 mod m: takes a number into Montgomery form")
    table("r3", radix**3 % modulus, count, "R^3 mod m: a plain inverse of x R, times this, is R/x")


print("// SPDX-License-Identifier: MIT OR Apache-2.0")
print("// Constants of BLS12-381's base field Fp and scalar field Fr, as 32-bit limbs, low first.")
print("// Written by constants.py; a test runs it again and compares.")
print("// clang-format off")
print("#pragma once")
print('#include "../host_device.h"')
print()
print("namespace cuzk {")
print()
field("fp_params", P, 12)
print("    // p in 13 limbs of 30 bits and 1/p mod 2^30, for the inversion by divsteps")
words = ", ".join(f"0x{P >> (30 * i) & 0x3FFFFFFF:08x}" for i in range(13))
half = words.split(", ")
print("    CUZK_HD static constexpr int32_t modulus30(int i) {")
print("        constexpr int32_t t[13] = {" + ", ".join(half[:6]) + ",")
print("                                   " + ", ".join(half[6:12]) + ",")
print("                                   " + half[12] + "};")
print("        return t[i];")
print("    }")
print(f"    static constexpr int32_t INV30 = 0x{pow(P, -1, 2**30):08x};")
print("};")
print()
field("fr_params", R, 8)
print("    static constexpr int TWO_ADICITY = 32;")
root = pow(GENERATOR, (R - 1) >> 32, R)
table("root", (root << 256) % R, 8, "a primitive 2^32-th root of unity, 7^((r-1)/2^32), Montgomery form")
table("generator", (GENERATOR << 256) % R, 8, "the multiplicative generator 7, Montgomery form: the coset's shift")
table("generator_inverse", (pow(GENERATOR, -1, R) << 256) % R, 8, "1/7, Montgomery form")
table("neg_inv", -pow(R, -1, 2**256) % 2**256, 8, "-1/r mod 2^256")
table("half", R >> 1, 8, "(r - 1)/2, a plain number: the largest scalar that is not negated")
print("};")
print()
print("}  // namespace cuzk")
