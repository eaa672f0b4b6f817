// SPDX-License-Identifier: Apache-2.0
#include "device/cube/load_data_3d.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "device/cube/product.h"
#include "device/cube/unfold.h"
#include "device/lanes/shuffle.h"

namespace twin::cube {
namespace {

void CheckLoad(Core& core, const ImageLoad& load, Memory memory, Dtype dtype, const char* api) {
    const uint32_t c0 = RowElements(dtype);
    const bool byte = dtype == Dtype::I4 || SizeOf(dtype) == 1;
    if (memory == Memory::L0b && byte) {
        Fail("T452",
             "transpose not available: %s of %s into L0B, expected elements of 16 or 32 bits"
             "\n  try: LoadDataWithTranspose",
             api, Name(dtype));
    }
    if (memory == Memory::L0a && load.transpose && byte) {
        Fail("T452",
             "transpose not available: %s of %s with enTranspose, expected elements of 16 "
             "or 32 bits\n  try: LoadDataWithTranspose",
             api, Name(dtype));
    }
    if (load.smallK) {
        Fail("T454", "not on this chip: %s with enSmallK, expected false", api);
    }
    if (core.state->cube.repeatTime > 1) {
        Fail("T455",
             "not modelled: %s after SetLoadDataRepeat with repeatTime %u, expected 0 or 1\n  try: "
             "one LoadData per step",
             api, core.state->cube.repeatTime);
    }
    if (load.channels % c0 != 0) {
        Fail(
            "T455",
            "not modelled: %s with channelSize %u, expected a multiple of the %u elements in 32 B\n"
            "  try: channels padded with zeros",
            api, load.channels, c0);
    }
    CheckRange(api, "strideW", load.strideW, 1, 63);
    CheckRange(api, "strideH", load.strideH, 1, 63);
    CheckRange(api, "dilationFilterW", load.dilationW, 1, 255);
    CheckRange(api, "dilationFilterH", load.dilationH, 1, 255);
    CheckRange(api, "mStartPt", load.firstRow, 0, 32767);
    if (load.firstColumn % c0 != 0 || (load.columns % c0 != 0 && core.strict)) {
        Fail(
            "T456",
            "columns not whole fractals: %s with kStartPt %u and kExtension %u, expected multiples "
            "of %u for %s",
            api, load.firstColumn, load.columns, c0, Name(dtype));
    }
}

const FeatureMap& RequireMap(const Core& core, const ImageLoad& load, const char* api) {
    const FeatureMap& map = core.state->cube.featureMaps[load.right ? 1 : 0];
    const bool padded = std::any_of(std::begin(map.pads), std::end(map.pads),
                                    [](uint8_t width) { return width != 0; });
    if (!map.known || (padded && !core.state->cube.padValueKnown)) {
        Fail("T457",
             "register not set: %s reads the %s, which this kernel has not set\n  try: SetFmatrix "
             "and SetLoadDataPaddingValue before it, or the default IsResetLoad3dConfig",
             api, map.known ? "padding value" : "feature map");
    }
    CheckRange(api, "l1H", map.height, 0, 32767);
    CheckRange(api, "l1W", map.width, 0, 32767);
    return map;
}

Image ImageOf(const Core& core, const Operand& src, uint64_t bytes, const char* api) {
    const uint64_t boundary = core.state->cube.boundary;
    if (boundary != 0 && src.address >= boundary) {
        Fail(
            "T450",
            "parameter out of range: %s of a feature map at L1+0x%x, behind SetLoadDataBoundary of "
            "%u B",
            api, src.address, core.state->cube.boundary);
    }
    return {core.memory[static_cast<size_t>(Memory::L1)], src.address, bytes, boundary};
}

/// Loads a block of the image-to-column matrix without transposing it, as row-major fractals.
void LoadStraight(uint8_t* dst, const Unfolded& image, const ImageLoad& load,
                  const Extent& extent) {
    for (uint64_t f = 0; f < extent.rowFractals; ++f) {
        const uint64_t row = load.firstRow + f * kSide;
        const uint64_t rows = extent.RowsIn(f);
        for (uint64_t b = 0; b < extent.columnFractals; ++b) {
            uint8_t* to = dst + extent.Offset(f, b, 0);
            if (image.Plain()) {
                std::memcpy(to, image.Row(row, load.firstColumn + b), rows * kRowBytes);
                continue;
            }
            for (uint64_t r = 0; r < rows; ++r) {
                std::memcpy(to + r * kRowBytes, image.Row(row + r, load.firstColumn + b),
                            kRowBytes);
            }
        }
    }
}

/// Copies up to 16 rows of one block of 16-bit columns, or of two blocks of 32-bit columns, to
/// `square`. Rows that do not exist stay zero.
void GatherSquare(uint8_t* square, const Unfolded& image, uint64_t firstRow, uint64_t rows,
                  uint64_t firstBlock, uint64_t blocks) {
    for (uint64_t b = 0; b < blocks; ++b) {
        for (uint64_t r = 0; r < rows; ++r) {
            std::memcpy(square + b * kFractalBytes + r * kRowBytes,
                        image.Row(firstRow + r, firstBlock + b), kRowBytes);
        }
    }
}

/// Loads the block and transposes each square. L0A gets the fractals of the transposed matrix in
/// row-major order. In L0B, the rows of the image-to-column matrix are the k dimension.
void LoadTurned(uint8_t* dst, const Unfolded& image, const ImageLoad& load, const Extent& extent) {
    const lanes::FractalTable& table = lanes::BestFractal();
    const lanes::TurnFn turn = extent.across == 2 ? table.turn32 : table.turn16;
    for (uint64_t f = 0; f < extent.rowFractals; ++f) {
        for (uint64_t s = 0; s < extent.squares; ++s) {
            alignas(32) uint8_t square[2 * kFractalBytes] = {};
            alignas(32) uint8_t turned[2 * kFractalBytes];
            GatherSquare(square, image, load.firstRow + f * kSide, extent.RowsIn(f),
                         load.firstColumn + s * extent.across, extent.BlocksIn(s));
            turn(turned, kFractalBytes, square);
            for (uint64_t part = 0; part < extent.across; ++part) {
                std::memcpy(dst + extent.Offset(f, s, part), turned + part * kFractalBytes,
                            extent.BytesIn(f, s));
            }
        }
    }
}

/// Returns the part of the image-to-column matrix that the call loads; refuses parts outside it.
Extent ExtentOf(const Unfolded& unfolded, const ImageLoad& load, uint32_t c0, bool intoB, bool wide,
                const char* api) {
    const uint64_t allBlocks = uint64_t{load.filterW} * load.filterH * (load.channels / c0);
    const uint64_t blocks = CeilDiv(load.columns, c0);
    if (load.firstRow >= unfolded.Rows() || load.firstColumn + blocks > allBlocks) {
        const uint64_t firstColumn = uint64_t{load.firstColumn} * c0;
        Fail("T458",
             "beyond the unfolded matrix: %s of rows from %u and columns %llu to %llu, it has %llu "
             "rows and %llu columns",
             api, load.firstRow, static_cast<unsigned long long>(firstColumn),
             static_cast<unsigned long long>(firstColumn + load.columns),
             static_cast<unsigned long long>(unfolded.Rows()),
             static_cast<unsigned long long>(allBlocks * c0));
    }
    const bool turned = intoB || load.transpose;
    const uint64_t across = turned && wide ? 2 : 1;
    const uint64_t rows = std::min<uint64_t>(load.rows, unfolded.Rows() - load.firstRow);
    return {CeilDiv(load.rows, kSide), blocks, rows, turned, intoB, across,
            CeilDiv(blocks, across)};
}

}  // namespace

void SetFeatureMap(uint16_t height, uint16_t width, const uint8_t* pads, AscendC::FmatrixMode mode,
                   Location where) {
    Core& core = Self();
    if (core.BeginOn(CoreKind::Aic, where)) {
        FeatureMap& map = core.state->cube.featureMaps[mode == AscendC::FmatrixMode::FMATRIX_RIGHT];
        map.height = height;
        map.width = width;
        std::memcpy(map.pads, pads, sizeof(map.pads));
        map.known = true;
    }
}

void SetPadding(uint32_t bits, Location where) {
    Core& core = Self();
    if (core.BeginOn(CoreKind::Aic, where)) {
        core.state->cube.padValue = bits;
        core.state->cube.padValueKnown = true;
    }
}

void SetRepeat(const AscendC::LoadDataRepeatParam& params, Location where) {
    Core& core = Self();
    if (core.BeginOn(CoreKind::Aic, where)) {
        CheckRange("SetLoadDataRepeat", "repeatMode", params.repeatMode, 0, 1);
        core.state->cube.repeatStride = params.repeatStride;
        core.state->cube.repeatTime = params.repeatTime;
        core.state->cube.repeatMode = params.repeatMode;
    }
}

void SetBoundary(uint32_t bytes, Location where) {
    Core& core = Self();
    if (core.BeginOn(CoreKind::Aic, where)) {
        if (bytes != 0 && bytes < 1024) {
            Fail("T450",
                 "parameter out of range: SetLoadDataBoundary of %u B, expected 0 or at least 1024",
                 bytes);
        }
        core.state->cube.boundary = bytes;
    }
}

void LoadImage(const Operand& dst, const Operand& src, const ImageLoad& load, Dtype dtype,
               const char* api, Location where) {
    Issue issue(Opcode::LoadData3D, CoreKind::Aic, where);
    issue.Called(api);
    if (!issue) {
        return;
    }
    Core& core = issue.core();
    const Memory memory = MemoryOf(dst.position);
    if (memory != Memory::L0a) {
        RequireMemory(dst, Memory::L0b, api, "dst");
    }
    const FeatureMap& map = RequireMap(core, load, api);
    if (map.height == 0 || map.width == 0 || load.channels == 0 || load.columns == 0 ||
        load.rows == 0 || load.filterW == 0 || load.filterH == 0 ||
        core.state->cube.repeatTime == 0) {
        return;
    }
    CheckLoad(core, load, memory, dtype, api);
    const uint32_t c0 = RowElements(dtype);
    const uint64_t imageBytes = uint64_t{map.height} * map.width * (load.channels / c0) * kRowBytes;
    const Image image = ImageOf(core, src, imageBytes, api);
    uint8_t padding[kRowBytes];
    for (uint32_t i = 0; i < kRowBytes; ++i) {
        const uint32_t size = std::max<uint32_t>(SizeOf(dtype), 1);
        padding[i] = static_cast<uint8_t>(core.state->cube.padValue >> i % size * 8);
    }
    ImageLoad inBlocks = load;
    inBlocks.firstColumn = load.firstColumn / c0;
    const Unfolded unfolded(image, map, inBlocks, padding);
    const Extent extent =
        ExtentOf(unfolded, inBlocks, c0, memory == Memory::L0b, SizeOf(dtype) == 4, api);
    const Runs whole{extent.Bytes()};
    const uint64_t reach = image.Wraps() ? image.boundary - image.begin : imageBytes;
    const Written written = {extent, dst.address};
    const PlacesRead read = {image, unfolded, inBlocks, extent};
    if (extent.turned) {
        issue.RecordAs(Opcode::LoadData3DTranspose);
    }
    issue.Type(dtype);
    issue.Work(whole.bytes / kFractalBytes, whole.bytes / kRowBytes * c0);
    issue.Reads(Register::FeatureMap);
    issue.Reads(Register::LoadRepeat);
    issue.Reads(Register::PadValue);
    uint8_t* to = issue.Write(Arg::Dst, Fractals(core, dst, memory, whole), memory, whole,
                              whole.bytes, written, kFractalBytes);
    issue.Read(Arg::Src, src, Memory::L1, Runs{reach}, reach, read, kRowBytes);
    issue.Ready();
    const auto effect = extent.turned ? LoadTurned : LoadStraight;
    effect(to, unfolded, inBlocks, extent);
    const auto follow = [&](ByteMarks& marks) {
        static constexpr uint8_t kData[kRowBytes] = {};
        Image marked = image;
        marked.l1 = marks.Of(Memory::L1, image.l1);
        effect(marks.Of(memory, to), Unfolded(marked, map, inBlocks, kData), inBlocks, extent);
    };
    issue.Follow(follow);
    issue.Done();
}

}  // namespace twin::cube
