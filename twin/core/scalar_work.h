// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace twin {

/// Numbers of operations of a core's scalar unit in the kernel's own code and in queues, since the
/// core's latest record. Two kinds share a word, so that one addition counts both.
struct ScalarWork {
    uint64_t simpleMemory = 0;    ///< low half: Simple(), high half: Memory()
    uint64_t branchMultiply = 0;  ///< low half: Branch(), high half: Multiply()
    uint32_t divide32 = 0;        ///< divisions of integers of at most 32 bits, not by a constant
    uint32_t divide64 = 0;        ///< divisions of integers of 64 bits, not by a constant
    uint32_t divideFloat = 0;     ///< divisions of other numbers, not by a constant
    uint32_t queueCalls = 0;      ///< calls of AllocTensor, EnQue, DeQue and FreeTensor
    /// File of a function that has run without counting its operations; nullptr if there is none.
    const char* uncounted = nullptr;

    /// Additions, shifts, comparisons, logic; calls of the kernel's functions.
    uint32_t Simple() const { return static_cast<uint32_t>(simpleMemory); }
    /// Accesses to a data member, to an element of an array, or through a pointer.
    uint32_t Memory() const { return static_cast<uint32_t>(simpleMemory >> 32); }
    /// Conditions, and steps of loops.
    uint32_t Branch() const { return static_cast<uint32_t>(branchMultiply); }
    uint32_t Multiply() const { return static_cast<uint32_t>(branchMultiply >> 32); }
};

}  // namespace twin
