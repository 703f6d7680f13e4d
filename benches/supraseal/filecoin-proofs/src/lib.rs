// SPDX-License-Identifier: MIT OR Apache-2.0
//! Nothing: the tests are the consumer.
