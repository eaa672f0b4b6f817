// SPDX-License-Identifier: Apache-2.0
#pragma once

// Marks in a kernel's code that tell the kernel's type to the launch (kernel_image.cpp) and to the
// package that compiles it. A mark is a section whose name contains the information; the code that
// leaves the mark refers to the section. The linker drops functions that the exported kernel does
// not reach (--gc-sections), together with their marks. The remaining names are those of this one
// kernel, whatever else its file contains.
#define TWIN_MARK(name, ...)                                                       \
    asm volatile("771:\n .reloc 771b, BFD_RELOC_NONE, 772f\n .pushsection \"" name \
                 "\", \"a\", %%progbits\n772: .byte 0\n .popsection" ::__VA_ARGS__)

/// In kernel unit tests (core/unit_test.h) the code is compiled once for both kinds of core, which
/// are distinguished while the kernel runs. Otherwise the caller of the compiler names one kind, as
/// for the device compiler, or removes the launches from a host's source.
#if !defined(__DAV_C220_CUBE__) && !defined(__DAV_C220_VEC__) && !defined(TWIN_LAUNCH_SITES)
#define TWIN_BOTH_KINDS
#endif

/// The code has cube instructions, or the Matmul server that works for vector cores.
#define TWIN_USES_CUBE TWIN_MARK("twin_kernel.cube")
/// The code synchronises cores by hardware.
#define TWIN_USES_HARD_SYNC TWIN_MARK("twin_kernel.hard_sync")
/// The code has the KERNEL_TYPE_* of one tiling key, and of the keys that name none.
#define TWIN_TASK_TYPE(key, type)                                                    \
    TWIN_MARK("twin_kernel.type.%c0.%c1", "i"(static_cast<unsigned long long>(key)), \
              "i"(static_cast<int>(type)))
#define TWIN_TASK_TYPE_DEFAULT(type) \
    TWIN_MARK("twin_kernel.default.%c0", "i"(static_cast<int>(type)))

#define TWIN_ATTRIBUTE_OF_CODE(type) \
    TWIN_MARK("twin_kernel.attribute.%c0", "i"(static_cast<int>(type)))

/// An attribute of the function; the section is then the function's code. It is inline, so that the
/// compiler leaves out a kernel that is not used: the linker keeps or drops all functions of one
/// section together. A used kernel stays a separate function, even if it does nothing. `cannery cc`
/// removes the attribute and lets the kernel's code leave the mark instead, because compilers
/// ignore sections of templates.
#ifdef TWIN_LAUNCH_SITES
#define TWIN_KERNEL_ATTRIBUTE(name) __twin_attribute__(name)
#elif defined(TWIN_BOTH_KINDS)
#define TWIN_KERNEL_ATTRIBUTE(name)  // the test's SetKernelMode chooses the type
#elif __has_attribute(noipa)
#define TWIN_KERNEL_ATTRIBUTE(name) inline __attribute__((section("twin_kernel." name), noipa))
#else
#define TWIN_KERNEL_ATTRIBUTE(name) inline __attribute__((section("twin_kernel." name), noinline))
#endif
