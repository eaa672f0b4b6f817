// SPDX-License-Identifier: Apache-2.0
// Checks a shared object before it is loaded. dlopen holds the loader's lock while the static
// initialisers run. An initialiser that throws ends the process; an initialiser that never returns
// blocks every thread that loads a library or throws. So a kernel with initialisers is first loaded
// in a child process. Few kernels need this, because device code has no initialisers.
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "core/kernel_image.h"

namespace twin {
namespace {

/// An ELF file. Reads beyond its end fail.
class ElfFile {
public:
    // O_NONBLOCK: otherwise opening a named pipe without a writer would block.
    explicit ElfFile(const std::string& path)
        : file_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
        struct stat status = {};
        if (file_ < 0 || fstat(file_, &status) != 0 || !S_ISREG(status.st_mode)) {
            error_ = file_ < 0 ? std::strerror(errno) : "is no file";
        } else {
            bytes_ = static_cast<uint64_t>(status.st_size);
        }
    }
    ~ElfFile() {
        if (file_ >= 0) {
            close(file_);
        }
    }
    ElfFile(const ElfFile&) = delete;
    ElfFile& operator=(const ElfFile&) = delete;

    const std::string& Error() const { return error_; }

    bool Holds(uint64_t offset, uint64_t bytes) const {
        return offset <= bytes_ && bytes <= bytes_ - offset;
    }
    template <typename T>
    bool Read(uint64_t offset, T* value) const {
        return Holds(offset, sizeof(T)) &&
               pread(file_, value, sizeof(T), static_cast<off_t>(offset)) == sizeof(T);
    }

private:
    int file_;
    uint64_t bytes_ = 0;
    std::string error_;
};

/// Returns the number of functions that run when the file is loaded; -1: not a complete shared
/// object.
int64_t CountInitialisers(const ElfFile& file) {
    ElfW(Ehdr) header = {};
    if (!file.Read(0, &header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
        header.e_phentsize != sizeof(ElfW(Phdr)) ||
        !file.Holds(header.e_shoff, uint64_t{header.e_shnum} * header.e_shentsize)) {
        return -1;
    }
    uint64_t bytes = 0;
    for (uint64_t i = 0; i < header.e_phnum; ++i) {
        ElfW(Phdr) segment = {};
        if (!file.Read(header.e_phoff + i * sizeof(segment), &segment) ||
            !file.Holds(segment.p_offset, segment.p_filesz)) {
            return -1;
        }
        ElfW(Dyn) entry = {};
        for (uint64_t at = 0; segment.p_type == PT_DYNAMIC && at < segment.p_filesz;
             at += sizeof(entry)) {
            if (file.Read(segment.p_offset + at, &entry) && entry.d_tag == DT_INIT_ARRAYSZ) {
                bytes = entry.d_un.d_val;
            }
        }
    }
    return static_cast<int64_t>(bytes / sizeof(void*));
}

/// Runs in the child process: loads the library, then writes a byte to `done`.
[[noreturn]] void LoadAndTell(const std::string& path, int done) {
    for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP}) {
        signal(number, SIG_DFL);
    }
    try {
        void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (handle != nullptr) {
            dlclose(handle);
        }
    } catch (...) {
        _exit(1);  // with the error, the child would go on with the caller's code
    }
    _exit(write(done, "", 1) == 1 ? 0 : 1);
}

/// Waits until the child process writes a byte to the pipe, or ends. `file` is the end of the pipe
/// for reading. Sets `told` to true if the byte came. Returns false if `seconds` are over first.
bool WaitForByte(int file, double seconds, bool* told) {
    const auto deadline = std::chrono::steady_clock::now() +
                          std::chrono::milliseconds(static_cast<int64_t>(seconds * 1e3));
    for (;;) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
            deadline - std::chrono::steady_clock::now());
        pollfd one = {file, POLLIN, 0};
        const int ready = poll(&one, 1, static_cast<int>(std::max<int64_t>(left.count(), 0)));
        if (ready == 0) {
            return false;
        }
        if (ready > 0) {
            char byte = 0;
            *told = read(file, &byte, 1) == 1;
            return true;
        }
        if (errno != EINTR) {
            return false;
        }
    }
}

std::string NoProcess() {
    return std::string("cannot be tried, because no process can be started (") +
           std::strerror(errno) +
           ")\n  try: fewer processes (`ulimit -u` shows how many are allowed), or constants";
}

/// Loads the library in a child process. Returns "" if the initialisers come to their end.
/// Otherwise returns the end of an error message, a sentence whose subject is the initialisers.
std::string TryInChild(const std::string& path, double seconds) {
    const std::string advice = "\n  try: constants instead; device code has no initialisers";
    int ends[2] = {};
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return NoProcess();
    }
    const pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        LoadAndTell(path, ends[1]);
    }
    std::string refused = child < 0 ? NoProcess() : "";
    close(ends[1]);
    bool told = false;
    const bool ended = child > 0 && WaitForByte(ends[0], seconds, &told);
    close(ends[0]);
    if (child < 0) {
        return refused;
    }
    if (!ended) {
        kill(child, SIGKILL);
    }
    int status = 0;  // stays 0 if another thread has waited for the child
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (told) {
        return "";
    }
    return (!ended                ? "do not come to their end"
            : WIFSIGNALED(status) ? std::string("end with ") + strsignal(WTERMSIG(status))
                                  : "end the process") +
           advice;
}

#if defined(__x86_64__)
constexpr uint16_t kMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr uint16_t kMachine = EM_AARCH64;
#else
#error "Shared objects are known for x86-64 and aarch64 only"
#endif

/// Checks the file and counts its initialisers; returns "" or an error.
std::string CheckElf(const std::string& path, int64_t* initialisers) {
    const ElfFile file(path);
    if (!file.Error().empty()) {
        return path + ": " + file.Error();
    }
    ElfW(Ehdr) header = {};
    const bool elf = file.Read(0, &header) && std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0;
    if (elf && header.e_machine != kMachine) {
        return path + ": was built for another kind of machine (ELF machine " +
               std::to_string(header.e_machine) + ", this one is " + std::to_string(kMachine) +
               "); build it for this one";
    }
    *initialisers = CountInitialisers(file);
    return *initialisers < 0 ? path + ": is no complete shared object; build it again" : "";
}

}  // namespace

std::string CheckLibraryComplete(const std::string& path) {
    int64_t initialisers = 0;
    return CheckElf(path, &initialisers);
}

std::string CheckLibraryFile(const std::string& path, double mayTakeSeconds) {
    int64_t initialisers = 0;
    std::string problem = CheckElf(path, &initialisers);
    // The compiler's own start-up code has one initialiser.
    if (!problem.empty() || initialisers <= 1) {
        return problem;
    }
    problem = TryInChild(path, mayTakeSeconds);
    return problem.empty()
               ? ""
               : "T607 static initialisers: those of the global objects in " + path + " " + problem;
}

}  // namespace twin
