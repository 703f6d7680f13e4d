// SPDX-License-Identifier: MIT OR Apache-2.0
// What is used of CUB and thrust. Host code is compiled without exceptions, so that the library
// needs no libstdc++; CUDA 12's thrust throws and catches them in functions that nothing here uses.
#pragma once
// First, since their declarations say throw() too.
#include <algorithm>
#include <memory>
#include <ostream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#ifndef __cpp_exceptions
#define try if (true)
#define catch(...) if (false)
#define throw (void)
#endif

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#ifndef __cpp_exceptions
#undef try
#undef catch
#undef throw
#endif
