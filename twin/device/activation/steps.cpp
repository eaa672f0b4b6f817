// SPDX-License-Identifier: Apache-2.0
#include "core/library_steps.h"
#include "device/library/elementwise.h"

namespace twin {
namespace {

void Logistic(CallSteps s, View dst, View src, View x) {
    s.Muls(dst, src);
    s.Exp(dst, dst);
    s.Adds(dst, dst);
    s.Div(dst, x, dst);
}

void Quotient(CallSteps s, View dst, View src, View divisor) {
    if (s.Has(advanced::ElementwiseForm::kFast)) {
        s.Reciprocal(divisor, divisor);
        s.Mul(dst, src, divisor);
    } else {
        s.Div(dst, src, divisor);
    }
}

/// Lists the instructions of a GELU call. `tail` lists the instructions for one piece of elements.
/// With highPrecision, half is cast to float before `tail`, and the result of `tail` back to half.
template <typename Tail>
void GeluPieces(CallSteps s, int64_t parts, Tail tail) {
    const bool widened = s.Half() && s.Has(advanced::ElementwiseForm::kPrecise);
    const Dtype type = widened ? Dtype::F32 : s.Type();
    const int64_t size = s.Part(parts + (widened ? 1 : 0), SizeOf(type));
    View work[3];
    for (int64_t i = 0; i < parts; ++i) {
        work[i] = s.Work(type, size);
    }
    const View wide = s.Floats(size);
    s.Along<2>(size, [&](CallSteps s, View dst, View src) {
        Widened(s, widened, wide, dst, src,
                [&](View dst, View src) { tail(s, dst, src, work[0], work[1], work[2]); });
    });
}

}  // namespace

void FasterGeluSteps(CallSteps s) {
    GeluPieces(s, 1, [](CallSteps s, View dst, View src, View a, View, View) {
        s.Muls(a, src);
        s.Exp(a, a);
        s.Adds(a, a);
        Quotient(s, dst, src, a);
    });
}

void FasterGeluV2Steps(CallSteps s) {
    GeluPieces(s, 3, [](CallSteps s, View dst, View src, View a, View b, View c) {
        s.Muls(a, src);
        s.Abs(a, a);
        s.Mins(a, a);
        s.Adds(a, a);
        s.Mul(a, a, a);
        s.Muls(a, a);
        s.Adds(a, a);
        s.Adds(b, src);
        s.Abs(c, b);
        Quotient(s, b, b, c);
        s.Mul(a, a, b);
        s.Adds(a, a);
        s.Mul(dst, src, a);
    });
}

void GeluSteps(CallSteps s) {
    GeluPieces(s, 2, [](CallSteps s, View dst, View src, View a, View b, View) {
        s.Mul(a, src, src);
        s.Mul(b, src, a);
        s.Muls(a, b);
        s.Add(b, src, a);
        s.Muls(a, b);
        s.Mins(b, a);
        s.Exp(b, b);
        s.Abs(a, a);
        s.Muls(a, a);
        s.Exp(a, a);
        s.Adds(a, a);
        Quotient(s, a, src, a);
        s.Mul(dst, a, b);
    });
}

void GeGLUSteps(CallSteps s) {
    const auto gated = [](CallSteps s, View dst, View gate) {
        s.Mul(dst, gate, gate);
        s.Adds(dst, dst);
        s.Mul(dst, dst, gate);
        Logistic(s, dst, dst, gate);
    };
    if (!s.Half()) {
        gated(s, s.Operand(0), s.Operand(2));
        return s.Mul(s.Operand(0), s.Operand(1), s.Operand(0));
    }
    const int64_t size = s.Scratch() / 8 / 16 * 16;
    const View a = s.Floats(size), b = s.Floats(size);
    s.Along<3>(size, [&](CallSteps s, View dst, View src, View gate) {
        s.Cast(a, gate);
        gated(s, b, a);
        s.Cast(a, src);
        s.Mul(b, a, b);
        s.Cast(dst, b);
    });
}

void ReGluSteps(CallSteps s) {
    if (!s.Half()) {
        s.Maxs(s.Operand(0), s.Operand(2));
        return s.Mul(s.Operand(0), s.Operand(1), s.Operand(0));
    }
    const int64_t size = s.Part(3);
    const View x = s.Floats(size), y = s.Floats(size), z = s.Floats(size);
    s.Along<3>(size, [&](CallSteps s, View dst, View src, View gate) {
        s.NoBarrier().Cast(x, src);
        s.Cast(y, gate);
        s.Maxs(z, y);
        s.Mul(z, x, z);
        s.Cast(dst, z);
    });
}

void SigmoidSteps(CallSteps s) {
    const int64_t size = s.Scratch() / SizeOf(s.Type());
    const View ones = s.Work(s.Type(), size);
    s.Along<2>(size, [&](CallSteps s, View dst, View src) {
        s.Barrier();
        s.Muls(dst, src);
        s.Exp(dst, dst);
        s.NoBarrier().Adds(dst, dst);
        s.Duplicate(ones);
        s.Div(dst, ones, dst);
    });
}

void SiluSteps(CallSteps s) { Logistic(s, s.Operand(0), s.Operand(1), s.Operand(1)); }

void SwiGLUSteps(CallSteps s) {
    if (!s.Half()) {
        Logistic(s, s.Operand(0), s.Operand(2), s.Operand(2));
        return s.Mul(s.Operand(0), s.Operand(1), s.Operand(0));
    }
    const int64_t size = std::max<int64_t>(s.Scratch() / 12 / 16 * 16, 16);
    const View a = s.Floats(size), b = s.Floats(size), c = s.Floats(size);
    s.Along<3>(size, [&](CallSteps s, View dst, View src, View gate) {
        s.Cast(a, gate);
        Logistic(s, b, a, a);
        s.Cast(c, src);
        s.Mul(b, c, b);
        s.Cast(dst, b);
    });
}

void SwishSteps(CallSteps s) { SiluSteps(s); }

}  // namespace twin
