// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_CORE_USES_H
#define TWIN_CORE_USES_H

// What a kernel's code says about the kernel's type, for the launch (kernel_image.cpp) and for the
// package that compiles it. A mark is a section whose name says everything and to which the place
// that leaves it refers. The linker drops functions that the exported kernel does not reach
// (--gc-sections), and with them the marks that nobody else has left: the names that remain are
// those of this one kernel, whatever its file holds beside it.
#define TWIN_MARK(name, ...)                                                       \
    asm volatile("771:\n .reloc 771b, BFD_RELOC_NONE, 772f\n .pushsection \"" name \
                 "\", \"a\", %%progbits\n772: .byte 0\n .popsection" ::__VA_ARGS__)

/// Compiled once for both kinds of core, which are told apart while the kernel runs: in kernel unit
/// tests (core/unit_test.h). Else whoever compiles names one kind, as the device compiler does, or
/// takes the launches out of a host's source.
#if !defined(__DAV_C220_CUBE__) && !defined(__DAV_C220_VEC__) && !defined(TWIN_LAUNCH_SITES)
#define TWIN_BOTH_KINDS
#endif

/// Cube instructions, or the Matmul server that works for vector cores.
#define TWIN_USES_CUBE TWIN_MARK("twin_kernel.cube")
/// Synchronisation of cores by hardware.
#define TWIN_USES_HARD_SYNC TWIN_MARK("twin_kernel.hard_sync")
/// Constants: the KERNEL_TYPE_* of one tiling key, and of those that name none.
#define TWIN_TASK_TYPE(key, type)                                                    \
    TWIN_MARK("twin_kernel.type.%c0.%c1", "i"(static_cast<unsigned long long>(key)), \
              "i"(static_cast<int>(type)))
#define TWIN_TASK_TYPE_DEFAULT(type) \
    TWIN_MARK("twin_kernel.default.%c0", "i"(static_cast<int>(type)))

#define TWIN_ATTRIBUTE_OF_CODE(type) \
    TWIN_MARK("twin_kernel.attribute.%c0", "i"(static_cast<int>(type)))

/// An attribute of the function, whose code then is the section. Inline, so that the compiler
/// leaves out a kernel that is not used: the linker keeps or drops all functions of one section. A
/// kernel that is used stays a function of its own, even when it does nothing. `cannery cc` takes
/// the attribute out and has the kernel's code say it instead: compilers ignore sections of
/// templates.
#ifdef TWIN_LAUNCH_SITES
#define TWIN_KERNEL_ATTRIBUTE(name) __twin_attribute__(name)
#elif defined(TWIN_BOTH_KINDS)
#define TWIN_KERNEL_ATTRIBUTE(name)  // the test's SetKernelMode chooses
#elif __has_attribute(noipa)
#define TWIN_KERNEL_ATTRIBUTE(name) inline __attribute__((section("twin_kernel." name), noipa))
#else
#define TWIN_KERNEL_ATTRIBUTE(name) inline __attribute__((section("twin_kernel." name), noinline))
#endif

#endif  // TWIN_CORE_USES_H
