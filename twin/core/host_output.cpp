// SPDX-License-Identifier: Apache-2.0
#include "core/host_output.h"

#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <streambuf>
#include <utility>

#include "core/formatted.h"

namespace twin {
namespace {

thread_local HostOutput* tOutput = nullptr;

/// The largest number of bytes of a reason. Functions of op_host may print long texts before they
/// refuse a call, so only the last lines are stored.
constexpr size_t kMostBytes = 2048;

/// Returns the text without blank space at its ends.
std::string Trimmed(const std::string& text) {
    const char* const blank = " \t\r\n";
    const size_t first = text.find_first_not_of(blank);
    return first == std::string::npos
               ? ""
               : text.substr(first, text.find_last_not_of(blank) - first + 1);
}

/// Removes whole lines at the beginning until at most kMostBytes are left.
void KeepLastLines(std::string* text) {
    if (text->size() > kMostBytes) {
        const size_t cut = text->find('\n', text->size() - kMostBytes);
        text->erase(0, cut == std::string::npos ? text->size() - kMostBytes : cut + 1);
    }
}

/// Writes to a stream of the C++ library, and adds the text to the HostOutput of this thread.
class StreamCopy final : public std::streambuf {
public:
    explicit StreamCopy(std::ostream* to) : to_(to) {}

protected:
    int_type overflow(int_type character) override {
        if (!traits_type::eq_int_type(character, traits_type::eof())) {
            const char one = traits_type::to_char_type(character);
            xsputn(&one, 1);
        }
        return traits_type::not_eof(character);
    }
    std::streamsize xsputn(const char* text, std::streamsize count) override {
        HostOutput::AddPrinted(text, static_cast<size_t>(count));
        return to_->rdbuf()->sputn(text, count);
    }
    int sync() override { return to_->flush() ? 0 : -1; }

private:
    std::ostream* to_;
};

const std::ios_base::Init streamsExist;
StreamCopy outCopy(&std::cout);
StreamCopy errCopy(&std::cerr);
StreamCopy logCopy(&std::clog);

void AddWritten(std::FILE* file, const char* text, size_t bytes) {
    if (file == stdout || file == stderr) {
        HostOutput::AddPrinted(text, bytes);
    }
}

int Print(std::FILE* file, const char* format, va_list arguments) {
    std::string text;
    const int length = AppendFormatted(&text, format, arguments);
    if (length < 0) {
        return length;
    }
    AddWritten(file, text.data(), text.size());
    return std::fwrite(text.data(), 1, text.size(), file) == text.size() ? length : -1;
}

}  // namespace

HostOutput::HostOutput() : outer_(std::exchange(tOutput, this)) {}

HostOutput::~HostOutput() { tOutput = outer_; }

std::string HostOutput::Reason() const {
    const std::string errors = Trimmed(errors_);
    return errors.empty() ? Trimmed(printed_) : errors;
}

void HostOutput::AddError(const std::string& text) {
    if (tOutput != nullptr) {
        tOutput->errors_ += Trimmed(text) + "\n";
        KeepLastLines(&tOutput->errors_);
    }
}

void HostOutput::AddPrinted(const char* text, size_t bytes) {
    if (tOutput != nullptr) {
        tOutput->printed_.append(text, bytes);
        KeepLastLines(&tOutput->printed_);
    }
}

}  // namespace twin

// With the option --wrap, the linker replaces streams and functions of the C and C++ libraries in
// op_host by the streams and functions below. __wrap_printf, __wrap_puts and __wrap_putchar are in
// device/sys/system.cpp, because kernels use these three functions, too. If op_host is compiled
// with _FORTIFY_SOURCE, it calls functions whose names end in _chk.
TWIN_API std::ostream wrappedOut __asm__("__wrap__ZSt4cout")(&twin::outCopy);
TWIN_API std::ostream wrappedErr __asm__("__wrap__ZSt4cerr")(&twin::errCopy);
TWIN_API std::ostream wrappedLog __asm__("__wrap__ZSt4clog")(&twin::logCopy);

extern "C" {

TWIN_API int __wrap_vfprintf(std::FILE* file, const char* format, va_list arguments) {
    return twin::Print(file, format, arguments);
}

TWIN_API int __wrap_vprintf(const char* format, va_list arguments) {
    return twin::Print(stdout, format, arguments);
}

TWIN_API int __wrap_fprintf(std::FILE* file, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int length = twin::Print(file, format, arguments);
    va_end(arguments);
    return length;
}

TWIN_API int __wrap___vfprintf_chk(std::FILE* file, int, const char* format, va_list arguments) {
    return twin::Print(file, format, arguments);
}

TWIN_API int __wrap___vprintf_chk(int, const char* format, va_list arguments) {
    return twin::Print(stdout, format, arguments);
}

TWIN_API int __wrap___fprintf_chk(std::FILE* file, int, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int length = twin::Print(file, format, arguments);
    va_end(arguments);
    return length;
}

TWIN_API int __wrap___printf_chk(int, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int length = twin::Print(stdout, format, arguments);
    va_end(arguments);
    return length;
}

TWIN_API int __wrap_fputs(const char* text, std::FILE* file) {
    twin::AddWritten(file, text, std::char_traits<char>::length(text));
    return std::fputs(text, file);
}

TWIN_API int __wrap_fputc(int character, std::FILE* file) {
    const char one = static_cast<char>(character);
    twin::AddWritten(file, &one, 1);
    return std::fputc(character, file);
}

TWIN_API int __wrap_putc(int character, std::FILE* file) { return __wrap_fputc(character, file); }

TWIN_API size_t __wrap_fwrite(const void* text, size_t size, size_t count, std::FILE* file) {
    twin::AddWritten(file, static_cast<const char*>(text), size * count);
    return std::fwrite(text, size, count, file);
}

}  // extern "C"
