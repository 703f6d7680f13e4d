// SPDX-License-Identifier: MIT OR Apache-2.0
// G1: y^2 = x^3 + 4 over Fp.
#pragma once
#include "affine.h"
#include "xyzz.h"

namespace cuzk {

using g1_affine = affine<fp>;
using g1_xyzz = xyzz<fp>;
static_assert(sizeof(g1_affine) == 96, "an affine G1 point is 96 bytes, as blst_p1_affine");

CUZK_HD fp curve_b(const fp&) {
    fp two = add(fp::one(), fp::one());
    return add(two, two);
}

}  // namespace cuzk
