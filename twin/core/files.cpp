// SPDX-License-Identifier: Apache-2.0
#include "core/files.h"

#include <link.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <stdexcept>

#include "core/core.h"
#include "core/instruction.h"
#include "core/opcodes.h"
#include "core/types.h"

namespace twin {

File OpenAppend(const std::string& path) {
    File file(std::fopen(path.c_str(), "a"));
    if (file == nullptr) {
        throw std::runtime_error("cannot open " + path + " for writing");
    }
    return file;
}

void Finish(File file, const std::string& path) {
    const bool failed = std::ferror(file.get()) != 0;
    if (std::fclose(file.release()) != 0 || failed) {
        throw std::runtime_error(path + " is incomplete: " + std::strerror(errno) +
                                 "\n  try: a disk with room for it");
    }
}

std::string JsonText(const std::string& text) {
    std::string quoted = "\"";
    for (const char c : text) {
        char escaped[8];
        if (c == '"' || c == '\\') {
            quoted += '\\';
            quoted += c;
        } else if (static_cast<unsigned char>(c) < 0x20) {
            std::snprintf(escaped, sizeof(escaped), "\\u%04x", c);
            quoted += escaped;
        } else {
            quoted += c;
        }
    }
    return quoted + "\"";
}

namespace {

template <typename T>
bool ReadAt(std::ifstream& file, uint64_t offset, T* items, size_t count) {
    file.seekg(static_cast<std::streamoff>(offset));
    file.read(reinterpret_cast<char*>(items), static_cast<std::streamsize>(count * sizeof(T)));
    return file.good();
}

#define TWIN_EVENT_ROW(NAME, SOURCE, DESTINATION, ON_AIV) \
    {#NAME, Pipe::SOURCE, Pipe::DESTINATION, ON_AIV},
constexpr HardEventInfo kEvents[] = {TWIN_HARD_EVENTS(TWIN_EVENT_ROW)};
static_assert(sizeof(kEvents) / sizeof(kEvents[0]) == kHardEvents, "one row per HardEvent");

}  // namespace

std::vector<Section> SectionsOf(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    ElfW(Ehdr) header;
    if (!ReadAt(file, 0, &header, 1) || header.e_shentsize != sizeof(ElfW(Shdr)) ||
        header.e_shstrndx >= header.e_shnum) {
        return {};
    }
    std::vector<ElfW(Shdr)> sections(header.e_shnum);
    if (!ReadAt(file, header.e_shoff, sections.data(), sections.size())) {
        return {};
    }
    const ElfW(Shdr)& table = sections[header.e_shstrndx];
    std::string text(table.sh_size, '\0');
    if (text.empty() || !ReadAt(file, table.sh_offset, &text[0], text.size())) {
        return {};
    }
    std::vector<Section> found;
    for (const ElfW(Shdr) & section : sections) {
        if (section.sh_name < text.size()) {
            found.push_back({text.c_str() + section.sh_name, section.sh_offset, section.sh_size});
        }
    }
    return found;
}

std::string ContentOf(const std::string& path, const Section& section) {
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    if (!file || static_cast<uint64_t>(file.tellg()) < section.offset + section.bytes) {
        return "";
    }
    std::string content(section.bytes, '\0');
    return section.bytes != 0 && ReadAt(file, section.offset, &content[0], content.size()) ? content
                                                                                           : "";
}

const OpcodeRow kOpcodeRows[kOpcodes] = {
    {"", Pipe::S, OpcodeKind::Other},
#define TWIN_OPCODE(API, TEXT, PIPE, KIND) {TEXT, Pipe::PIPE, OpcodeKind::KIND},
#include "core/opcodes.def"
};

const char* Name(Arg operand) {
    static const char* const kNames[] = {"",
#define TWIN_TEXT(NAME, TEXT) TEXT,
                                         TWIN_OPERAND_NAMES(TWIN_TEXT)
#undef TWIN_TEXT
    };
    return kNames[static_cast<size_t>(operand)];
}

const char* Name(AtomicOp op) {
    static const char* const kNames[] = {"none", "add", "max", "min"};
    return kNames[static_cast<int>(op)];
}

const char* Name(Memory memory) {
    static const char* const kNames[] = {"GM", "UB", "L1", "L0A", "L0B", "L0C", "BT", "FB"};
    return kNames[static_cast<int>(memory)];
}

const char* Name(Pipe pipe) {
    static const char* const kNames[] = {"S",   "V", "M", "MTE1", "MTE2", "MTE3",
                                         "ALL", "?", "?", "?",    "FIX"};
    return kNames[static_cast<int>(pipe)];
}

const char* Name(CoreKind kind) { return kind == CoreKind::Aic ? "AIC" : "AIV"; }

const char* Name(Dtype dtype) {
    static const char* const kNames[kDtypeCount] = {
        "half",    "bfloat16_t", "float",   "int8_t",   "uint8_t", "int16_t", "uint16_t",
        "int32_t", "uint32_t",   "int64_t", "uint64_t", "int4b_t", "double",  "bool"};
    return kNames[static_cast<int>(dtype)];
}

const char* NumpyName(Dtype dtype) {
    static const char* const kNames[kDtypeCount] = {
        "float16", "bfloat16", "float32", "int8",   "uint8", "int16",   "uint16",
        "int32",   "uint32",   "int64",   "uint64", "int4",  "float64", "bool"};
    return kNames[static_cast<int>(dtype)];
}

uint32_t SizeOf(Dtype dtype) {
    static const uint32_t kSizes[kDtypeCount] = {2, 2, 4, 1, 1, 2, 2, 4, 4, 8, 8, 0, 8, 1};
    return kSizes[static_cast<int>(dtype)];
}

const char* Name(QueueEvent event) {
    static const char* const kNames[] = {"",      "AllocTensor", "EnQue",
                                         "DeQue", "FreeTensor",  "Destroy"};
    return kNames[static_cast<int>(event)];
}

const char* Name(Register which) {
    static const char* const kNames[kRegisters] = {
        "MASK",    "CTRL",      "CMPMASK",      "RSVD_CNT",  "ACC_VAL", "MAX_MIN_CNT",
        "VMS4_SR", "DEQSCALE",  "PADDING",      "ATOMIC",    "FMATRIX", "L3D_RPT",
        "FIXPIPE", "UNIT_FLAG", "SPARSE_INDEX", "DATA_CACHE"};
    return kNames[static_cast<int>(which)];
}

const HardEventInfo& EventInfo(uint32_t hardEvent) {
    return kEvents[hardEvent < kHardEvents ? hardEvent : kHardEvents - 1];
}

}  // namespace twin
