// SPDX-License-Identifier: Apache-2.0
// Tests of op::fp16_t and op::bfloat16, the host's 16-bit numbers.
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <sstream>

#include "check.h"
#include "opdev/bfloat16.h"
#include "opdev/fp16_t.h"

using op::bfloat16;
using op::fp16_t;

TEST(HalfRoundsToNearestEven) {
    CHECK_EQ(fp16_t(1.0F).val, 0x3C00);
    CHECK_EQ(fp16_t(2049.0F).val, fp16_t(2048.0F).val);
    CHECK_EQ(fp16_t(2051.0F).val, fp16_t(2052.0F).val);
    CHECK_EQ(fp16_t(65520.0F).val, 0x7C00);
    CHECK_EQ(fp16_t(-1e30F).IsInf(), -1);
    // As a float, this double is halfway between two halves.
    CHECK_EQ(fp16_t(1.0 + std::ldexp(1.0, -11) + std::ldexp(1.0, -40)).val, 0x3C01);
    CHECK_EQ(fp16_t(1.0 + 3 * std::ldexp(1.0, -11) - std::ldexp(1.0, -40)).val, 0x3C01);
    CHECK_EQ(fp16_t(-1.0 - std::ldexp(1.0, -11) - std::ldexp(1.0, -40)).val, 0xBC01);
    CHECK_EQ(std::isnan(fp16_t(std::nanf(""))), true);
}

TEST(HalfFromBitsAndFromValues) {
    const uint16_t three = 3;
    CHECK_EQ(fp16_t(three).val, 3);  // bits
    fp16_t number;
    CHECK_EQ(number.val, 0);
    number = three;  // a value
    CHECK_EQ(float(number), 3.0F);
    number = int64_t{-7};
    CHECK_EQ(number.toInt32(), -7);
    CHECK_EQ(float(fp16_t(bfloat16(1.5F))), 1.5F);
}

TEST(HalfToIntegers) {
    CHECK_EQ(int32_t(fp16_t(2.5F)), 2);
    CHECK_EQ(int32_t(fp16_t(3.5F)), 4);
    CHECK_EQ(int(fp16_t(300.0F).toInt8()), 127);
    CHECK_EQ(int(fp16_t(-300.0F).toInt8()), -128);
    CHECK_EQ(int(fp16_t(-1.0F).toUInt8()), 0);
    CHECK_EQ(fp16_t(uint16_t{0x7C00}).toInt32(), std::numeric_limits<int32_t>::max());
    CHECK_EQ(fp16_t(uint16_t{0xFC00}).toInt32(), std::numeric_limits<int32_t>::min());
}

TEST(HalfArithmetic) {
    fp16_t number = 1.5F;
    number += fp16_t(2.0F);
    CHECK_EQ(float(number), 3.5F);
    CHECK_EQ(float(number * fp16_t(2.0F) - fp16_t(1.0F)), 6.0F);
    CHECK_EQ((fp16_t(1.0F) / fp16_t(0.0F)).val, 0x7BFF);
    CHECK_EQ((fp16_t(1.0F) / fp16_t(3.0F)).val, 0x3555);
    CHECK_EQ(fp16_t(0.0F) == fp16_t(uint16_t{0x8000}), true);
    CHECK_EQ(fp16_t(1.0F) < fp16_t(2.0F), true);
    CHECK_EQ(1.5F > fp16_t(1.0F), true);
    CHECK_EQ(std::abs(fp16_t(-2.0F)), 2.0F);
}

TEST(BfloatRoundsToNearestEven) {
    CHECK_EQ(bfloat16(1.0F).value, 0x3F80);
    CHECK_EQ(bfloat16(257.0F).value, bfloat16(256.0F).value);
    CHECK_EQ(bfloat16(259.0F).value, bfloat16(260.0F).value);
    CHECK_EQ(bfloat16(std::nanf("7")).value, bfloat16::NAN_VALUE);
    CHECK_EQ(bfloat16(std::numeric_limits<float>::max()).value, 0x7F80);
    CHECK_EQ(bfloat16(0x3FC0, bfloat16::from_bits()) == bfloat16(1.5F), true);
    CHECK_EQ(bfloat16(std::complex<double>(2.0, 9.0)) == bfloat16(2), true);
}

TEST(BfloatArithmetic) {
    bfloat16 number = 3;
    CHECK_EQ(float(number++), 3.0F);
    CHECK_EQ(float(--number), 3.0F);
    number *= bfloat16(2.0F);
    CHECK_EQ(float(-number / bfloat16(4.0F)), -1.5F);
    CHECK_EQ(float(number + 1), 7.0F);
    CHECK_EQ(number <= bfloat16(6.0F) && 7.0F > number, true);
    CHECK_EQ(int(number), 6);
    CHECK_EQ(bool(bfloat16(1e-10F)), false);
    CHECK_EQ(float(std::sqrt(bfloat16(4.0F))), 2.0F);
    CHECK_EQ(std::isinf(std::numeric_limits<bfloat16>::infinity()), true);
    CHECK_EQ(float(std::numeric_limits<bfloat16>::epsilon()), std::ldexp(1.0F, -7));
    std::ostringstream text;
    text << bfloat16(0.5F);
    CHECK_EQ(text.str(), std::string("0.5"));
}

int main(int argc, char** argv) { return check::RunTests(argc, argv); }
