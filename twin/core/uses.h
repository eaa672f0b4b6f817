// SPDX-License-Identifier: Apache-2.0
#pragma once

// Marks in a kernel's code, from which the launch (kernel_image.cpp) and the Python package read
// the kernel's type. A mark is a section whose name contains the information; the code with the
// mark refers to the section. The linker drops functions that the exported kernel does not call
// (--gc-sections), together with their marks. So the remaining marks belong to this kernel,
// whatever else its file contains.
#define TWIN_MARK(name, ...)                                                       \
    asm volatile("771:\n .reloc 771b, BFD_RELOC_NONE, 772f\n .pushsection \"" name \
                 "\", \"a\", %%progbits\n772: .byte 0\n .popsection" ::__VA_ARGS__)

/// A kernel unit test (core/unit_test.h) is compiled once for both kinds of core. For all other
/// code, the caller of the compiler defines one of the macros in this #if.
#if !defined(__DAV_C220_CUBE__) && !defined(__DAV_C220_VEC__) && !defined(TWIN_LAUNCH_SITES)
#define TWIN_BOTH_KINDS
#endif

/// Marks code that has cube instructions, or the Matmul server for vector cores.
#define TWIN_USES_CUBE TWIN_MARK("twin_kernel.cube")
/// Marks code that synchronises cores by hardware.
#define TWIN_USES_HARD_SYNC TWIN_MARK("twin_kernel.hard_sync")
/// Marks code with the KERNEL_TYPE_* of one tiling key, or of all keys without a type of their own.
#define TWIN_TASK_TYPE(key, type)                                            \
    TWIN_MARK("twin_kernel.type.%c0.%c1.%c2", TWIN_TILING_KEY_OPERANDS(key), \
              "i"(static_cast<int>(type)))
/// A tiling key as two operands, its upper and its lower half. Compilers write only 32 bits of an
/// operand into a mark.
#define TWIN_TILING_KEY_OPERANDS(key)                                  \
    "i"(static_cast<int>(static_cast<unsigned long long>(key) >> 32)), \
        "i"(static_cast<int>(static_cast<unsigned long long>(key)))
#define TWIN_TASK_TYPE_DEFAULT(type) \
    TWIN_MARK("twin_kernel.default.%c0", "i"(static_cast<int>(type)))

/// Marks code that asks by TILING_KEY_IS or TILING_KEY_LIST whether the launch has this tiling key.
#define TWIN_TILING_KEY(key) TWIN_MARK("twin_kernel.key.%c0.%c1", TWIN_TILING_KEY_OPERANDS(key))
/// Marks code that reads the tiling key in another way: the code may have a branch for any key.
#define TWIN_ANY_TILING_KEY TWIN_MARK("twin_kernel.any_key")

#define TWIN_ATTRIBUTE_OF_CODE(type) \
    TWIN_MARK("twin_kernel.attribute.%c0", "i"(static_cast<int>(type)))

/// Marks a kernel function with its attribute: the name of the code's section is the mark. The
/// function is inline, because the compiler leaves out unused inline functions, but the linker
/// cannot drop one function of a section. `noipa` keeps a used kernel as a separate function, even
/// if the kernel does nothing. `cannery cc` replaces the attribute by a mark in the kernel's code,
/// because compilers ignore sections of templates.
#ifdef TWIN_LAUNCH_SITES
#define TWIN_KERNEL_ATTRIBUTE(name) __twin_attribute__(name)
#elif defined(TWIN_BOTH_KINDS)
#define TWIN_KERNEL_ATTRIBUTE(name)  // the test's SetKernelMode chooses the type
#elif __has_attribute(noipa)
#define TWIN_KERNEL_ATTRIBUTE(name) inline __attribute__((section("twin_kernel." name), noipa))
#else
#define TWIN_KERNEL_ATTRIBUTE(name) inline __attribute__((section("twin_kernel." name), noinline))
#endif
