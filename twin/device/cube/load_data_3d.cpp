// SPDX-License-Identifier: Apache-2.0
#include "device/cube/load_data_3d.h"

#include <cstring>
#include <vector>

#include "device/cube/engine.h"
#include "device/lanes/fractal.h"

namespace twin::cube {
namespace {

/// Where a feature map stands in L1. Reading beyond a boundary goes on at the start of L1.
struct Image {
    const uint8_t* l1;
    uint64_t begin;
    uint64_t bytes;
    uint64_t boundary;  ///< 0: none

    bool Wraps() const { return boundary != 0 && begin + bytes > boundary; }
    const uint8_t* At(uint64_t offset) const {
        const uint64_t address = begin + offset;
        return l1 + (Wraps() ? address % boundary : address);
    }
};

/// One row of 32 B of the unfolded matrix is one place of the feature map, or padding.
class Unfolded {
public:
    Unfolded(const Image& image, const FeatureMap& map, const ImageLoad& load,
             const uint8_t* padding)
        : image_(image), map_(map), load_(load), padding_(padding) {
        width_ = Positions(map.width + map.pads[0] + map.pads[1], load.filterW, load.dilationW,
                           load.strideW);
        height_ = Positions(map.height + map.pads[2] + map.pads[3], load.filterH, load.dilationH,
                            load.strideH);
    }
    uint64_t Rows() const { return width_ * height_; }
    /// The unfolded matrix is the feature map itself.
    bool Plain() const {
        return !image_.Wraps() && load_.filterW == 1 && load_.filterH == 1 && load_.strideW == 1 &&
               load_.strideH == 1 && std::memcmp(map_.pads, "\0\0\0\0", 4) == 0;
    }
    const uint8_t* Row(uint64_t row, uint64_t block) const {
        const uint64_t filter = block % (uint64_t{load_.filterW} * load_.filterH);
        const uint64_t channel = block / (uint64_t{load_.filterW} * load_.filterH);
        const uint64_t x = row % width_ * load_.strideW + filter % load_.filterW * load_.dilationW;
        const uint64_t y = row / width_ * load_.strideH + filter / load_.filterW * load_.dilationH;
        const bool inside = x >= map_.pads[0] && x < map_.pads[0] + uint64_t{map_.width} &&
                            y >= map_.pads[2] && y < map_.pads[2] + uint64_t{map_.height};
        const uint64_t place =
            (channel * map_.height + (y - map_.pads[2])) * map_.width + (x - map_.pads[0]);
        return inside ? image_.At(place * kRowBytes) : padding_;
    }

private:
    static uint64_t Positions(uint64_t size, uint64_t filter, uint64_t dilation, uint64_t stride) {
        const uint64_t reach = (filter - 1) * dilation + 1;
        return size < reach ? 0 : (size - reach) / stride + 1;
    }

    const Image image_;
    const FeatureMap& map_;
    const ImageLoad& load_;
    const uint8_t* padding_;
    uint64_t width_ = 0;
    uint64_t height_ = 0;
};

/// How much of the destination the block covers, in fractals.
struct Extent {
    uint64_t rowFractals;
    uint64_t columnFractals;
    uint64_t rows;  ///< of the unfolded matrix that exist
};

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
    if (core.cube.repeatTime > 1) {
        Fail("T455",
             "not modelled: %s after SetLoadDataRepeat with repeatTime %u, expected 0 or 1\n  try: "
             "one LoadData per step",
             api, core.cube.repeatTime);
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
    const FeatureMap& map = core.cube.featureMaps[load.right ? 1 : 0];
    if (!map.known || !core.cube.padValueKnown) {
        Fail("T457",
             "register not set: %s reads the %s, which this kernel has not set\n  try: SetFmatrix "
             "and SetLoadDataPaddingValue before it, or the default IsResetLoad3dConfig",
             api, map.known ? "padding value" : "feature map");
    }
    CheckRange(api, "l1H", map.height, 0, 32767);
    CheckRange(api, "l1W", map.width, 0, 32767);
    return map;
}

Image ImageOf(Core& core, const Operand& src, uint64_t bytes, const char* api) {
    const uint64_t boundary = core.cube.boundary;
    const Image image = {core.memory[static_cast<size_t>(Memory::L1)], src.address, bytes,
                         boundary};
    if (boundary != 0 && src.address >= boundary) {
        Fail(
            "T450",
            "parameter out of range: %s of a feature map at L1+0x%x, behind SetLoadDataBoundary of "
            "%u B",
            api, src.address, core.cube.boundary);
    }
    const uint64_t there = image.Wraps() ? boundary - src.address : bytes;
    CheckLocalOperand(core, src, Memory::L1, there, kRowBytes, api, "src");
    return image;
}

/// Rows stay rows: fractals of 16 rows x 32 B, row by row of fractals.
void LoadStraight(uint8_t* dst, const Unfolded& image, const ImageLoad& load,
                  const Extent& extent) {
    const uint64_t firstBlock = load.firstColumn;
    for (uint64_t f = 0; f < extent.rowFractals; ++f) {
        const uint64_t rows = std::min<uint64_t>(kSide, extent.rows - f * kSide);
        for (uint64_t b = 0; b < extent.columnFractals; ++b) {
            uint8_t* to = dst + (f * extent.columnFractals + b) * kFractalBytes;
            const uint64_t row = load.firstRow + f * kSide;
            if (image.Plain()) {
                std::memcpy(to, image.Row(row, firstBlock + b), rows * kRowBytes);
                continue;
            }
            for (uint64_t r = 0; r < rows; ++r) {
                std::memcpy(to + r * kRowBytes, image.Row(row + r, firstBlock + b), kRowBytes);
            }
        }
    }
}

/// 16 rows of one block of 16-bit columns, or of two blocks of 32-bit columns side by side; rows
/// that do not exist are left zero.
void GatherSquare(uint8_t* square, const Unfolded& image, uint64_t firstRow, uint64_t rows,
                  uint64_t firstBlock, uint64_t blocks) {
    for (uint64_t b = 0; b < blocks; ++b) {
        for (uint64_t r = 0; r < rows; ++r) {
            std::memcpy(square + b * kFractalBytes + r * kRowBytes,
                        image.Row(firstRow + r, firstBlock + b), kRowBytes);
        }
    }
}

/// Columns become rows. In L0A the fractals of the transposed matrix lie row by row, in L0B (where
/// they are column-major) the image's rows are k.
void LoadTurned(uint8_t* dst, const Unfolded& image, const ImageLoad& load, const Extent& extent,
                bool intoB, bool wide) {
    const lanes::FractalTable& table = lanes::BestFractal();
    const uint64_t across = wide ? 2 : 1;  // blocks of 32 B that make 16 columns
    const uint64_t squares = CeilDiv(extent.columnFractals, across);
    for (uint64_t f = 0; f < extent.rowFractals; ++f) {
        const uint64_t rows = std::min<uint64_t>(kSide, extent.rows - f * kSide);
        for (uint64_t s = 0; s < squares; ++s) {
            const uint64_t blocks = std::min(across, extent.columnFractals - s * across);
            alignas(32) uint8_t square[2 * kFractalBytes] = {};
            alignas(32) uint8_t turned[2 * kFractalBytes];
            GatherSquare(square, image, load.firstRow + f * kSide, rows,
                         load.firstColumn + s * across, blocks);
            (wide ? table.turn32 : table.turn16)(turned, kFractalBytes, square);
            // Of a half-filled square only the first 8 rows exist.
            const uint64_t bytes = kFractalBytes * blocks / across;
            for (uint64_t part = 0; part < across; ++part) {
                const uint64_t k = f * across + part;
                const uint64_t fractal =
                    intoB ? k * squares + s : s * extent.rowFractals * across + k;
                std::memcpy(dst + fractal * kFractalBytes, turned + part * kFractalBytes, bytes);
            }
        }
    }
}

void Record(Core& core, const Operand& dst, const Operand& src, const ImageLoad& load, Dtype dtype,
            uint64_t written, uint64_t read) {
    LegacyInstruction instruction;
    instruction.pipe = Pipe::Mte1;
    instruction.opcode = load.transpose || MemoryOf(dst.position) == Memory::L0b
                             ? "LoadData3DTranspose"
                             : "LoadData3D";
    instruction.dtype = dtype;
    instruction.repeats = static_cast<uint32_t>(written / kFractalBytes);
    instruction.elements = written / kRowBytes * RowElements(dtype);
    instruction.Add(LocalRuns(core, dst, written, 1, 0, true));
    instruction.Add(LocalRuns(core, src, read, 1, 0, false));
    core.Record(instruction);
}

}  // namespace

void SetFeatureMap(uint16_t height, uint16_t width, const uint8_t* pads, AscendC::FmatrixMode mode,
                   Location where) {
    Core& core = Self();
    if (core.BeginOn(CoreKind::Aic, where)) {
        FeatureMap& map = core.cube.featureMaps[mode == AscendC::FmatrixMode::FMATRIX_RIGHT];
        map.height = height;
        map.width = width;
        std::memcpy(map.pads, pads, sizeof(map.pads));
        map.known = true;
    }
}

void SetPadding(uint32_t bits, Location where) {
    Core& core = Self();
    if (core.BeginOn(CoreKind::Aic, where)) {
        core.cube.padValue = bits;
        core.cube.padValueKnown = true;
    }
}

void SetRepeat(const AscendC::LoadDataRepeatParam& params, Location where) {
    Core& core = Self();
    if (core.BeginOn(CoreKind::Aic, where)) {
        CheckRange("SetLoadDataRepeat", "repeatMode", params.repeatMode, 0, 1);
        core.cube.repeatStride = params.repeatStride;
        core.cube.repeatTime = params.repeatTime;
        core.cube.repeatMode = params.repeatMode;
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
        core.cube.boundary = bytes;
    }
}

void LoadImage(const Operand& dst, const Operand& src, const ImageLoad& load, Dtype dtype,
               const char* api, Location where) {
    Core& core = Self();
    if (!core.BeginOn(CoreKind::Aic, where)) {
        return;
    }
    const Memory memory = MemoryOf(dst.position);
    if (memory != Memory::L0a) {
        RequireMemory(dst, Memory::L0b, api, "dst");
    }
    const FeatureMap& map = RequireMap(core, load, api);
    if (map.height == 0 || map.width == 0 || load.channels == 0 || load.columns == 0 ||
        load.rows == 0 || load.filterW == 0 || load.filterH == 0 || core.cube.repeatTime == 0) {
        return;
    }
    CheckLoad(core, load, memory, dtype, api);
    const uint32_t c0 = RowElements(dtype);
    const uint64_t imageBytes = uint64_t{map.height} * map.width * (load.channels / c0) * kRowBytes;
    const Image image = ImageOf(core, src, imageBytes, api);
    uint8_t padding[kRowBytes];
    for (uint32_t i = 0; i < kRowBytes; ++i) {
        const uint32_t size = std::max<uint32_t>(SizeOf(dtype), 1);
        padding[i] = static_cast<uint8_t>(core.cube.padValue >> i % size * 8);
    }
    ImageLoad inBlocks = load;
    inBlocks.firstColumn = load.firstColumn / c0;
    const Unfolded unfolded(image, map, inBlocks, padding);
    const uint64_t allBlocks = uint64_t{load.filterW} * load.filterH * (load.channels / c0);
    const uint64_t blocks = CeilDiv(load.columns, c0);
    if (load.firstRow >= unfolded.Rows() || inBlocks.firstColumn + blocks > allBlocks) {
        Fail(
            "T458",
            "beyond the unfolded matrix: %s of rows from %u and columns %u to %u, it has %llu rows "
            "and %llu columns",
            api, load.firstRow, load.firstColumn, load.firstColumn + load.columns,
            static_cast<unsigned long long>(unfolded.Rows()),
            static_cast<unsigned long long>(allBlocks * c0));
    }
    const Extent extent = {CeilDiv(load.rows, kSide), blocks,
                           std::min<uint64_t>(load.rows, unfolded.Rows() - load.firstRow)};
    const bool turned = memory == Memory::L0b || load.transpose;
    const bool wide = SizeOf(dtype) == 4;
    const uint64_t across = turned && wide ? Align(blocks, 2) : blocks;
    const uint64_t bytes = extent.rowFractals * across * kFractalBytes;
    uint8_t* to = CheckFractals(core, dst, memory, bytes, kFractalBytes, api, "dst");
    if (turned) {
        LoadTurned(to, unfolded, inBlocks, extent, memory == Memory::L0b, wide);
    } else {
        LoadStraight(to, unfolded, inBlocks, extent);
    }
    if (core.Recording()) {
        Record(core, dst, src, load, dtype, bytes, imageBytes);
    }
}

}  // namespace twin::cube
