// SPDX-License-Identifier: MIT OR Apache-2.0
// G2: y^2 = x^3 + 4 (1 + u) over Fp2.
#pragma once
#include "affine.h"
#include "xyzz.h"

namespace cuzk {

using g2_affine = affine<fp2>;
using g2_xyzz = xyzz<fp2>;
static_assert(sizeof(g2_affine) == 192, "an affine G2 point is 192 bytes, as blst_p2_affine");

CUZK_HD fp2 curve_b(const fp2&) {
    fp two = add(fp::one(), fp::one()), four = add(two, two);
    return {four, four};
}

}  // namespace cuzk
