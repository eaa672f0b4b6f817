// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <vector>

#include "device/cube/load_data_3d.h"
#include "device/cube/product.h"

// This file computes which bytes an image-to-column load reads and writes.

namespace twin::cube {

/// The position of a feature map in L1. Reads that reach `boundary` continue at the start of L1.
struct Image {
    const uint8_t* l1;
    uint64_t begin;
    uint64_t bytes;
    uint64_t boundary;  ///< address in L1 at which reads wrap around to 0; 0: they do not wrap

    bool Wraps() const { return boundary != 0 && begin + bytes > boundary; }
    /// Returns the address in L1 of the byte at `offset`.
    uint64_t Address(uint64_t offset) const {
        const uint64_t address = begin + offset;
        return Wraps() ? address % boundary : address;
    }
};

/// The image-to-column matrix. It consists of units of 32 B of the feature map or of padding.
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
    /// Returns true if the image-to-column matrix is the feature map itself.
    bool Plain() const {
        return !image_.Wraps() && load_.filterW == 1 && load_.filterH == 1 && load_.strideW == 1 &&
               load_.strideH == 1 && std::memcmp(map_.pads, "\0\0\0\0", 4) == 0;
    }
    /// Returns the index of the 32 B unit of the feature map at (row, block); -1 for padding.
    int64_t Place(uint64_t row, uint64_t block) const {
        const uint64_t filter = block % (uint64_t{load_.filterW} * load_.filterH);
        const uint64_t channel = block / (uint64_t{load_.filterW} * load_.filterH);
        const uint64_t x = row % width_ * load_.strideW + filter % load_.filterW * load_.dilationW;
        const uint64_t y = row / width_ * load_.strideH + filter / load_.filterW * load_.dilationH;
        const bool inside = x >= map_.pads[0] && x < map_.pads[0] + uint64_t{map_.width} &&
                            y >= map_.pads[2] && y < map_.pads[2] + uint64_t{map_.height};
        const uint64_t place =
            (channel * map_.height + (y - map_.pads[2])) * map_.width + (x - map_.pads[0]);
        return inside ? static_cast<int64_t>(place) : -1;
    }
    const uint8_t* Row(uint64_t row, uint64_t block) const {
        const int64_t place = Place(row, block);
        return place < 0 ? padding_ : image_.l1 + image_.Address(place * kRowBytes);
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

/// Size and layout of the loaded block in the destination.
struct Extent {
    uint64_t rowFractals;
    uint64_t columnFractals;
    uint64_t rows;     ///< number of rows of the block that exist in the image-to-column matrix
    bool turned;       ///< the load transposes the block
    bool intoB;        ///< the destination is L0B, where the matrix's rows are the k dimension
    uint64_t across;   ///< fractals that are transposed together: 2 if 32-bit; 1 if not transposed
    uint64_t squares;  ///< number of groups of `across` fractals in a row of fractals

    uint64_t Bytes() const { return rowFractals * squares * across * kFractalBytes; }
    uint64_t RowsIn(uint64_t fractal) const {
        return std::min<uint64_t>(kSide, rows - fractal * kSide);
    }
    uint64_t BlocksIn(uint64_t square) const {
        return std::min(across, columnFractals - square * across);
    }
    /// Returns the distance in bytes from the destination's start to block `part` of a square.
    uint64_t Offset(uint64_t fractal, uint64_t square, uint64_t part) const {
        const uint64_t k = fractal * across + part;
        const bool byRows = !turned || intoB;
        return (byRows ? k * squares + square : square * rowFractals * across + k) * kFractalBytes;
    }
    /// Returns how many bytes the load writes to a fractal. A fractal that is not transposed may
    /// have fewer than 16 rows. If a transposed square lacks one block, its fractals have 8 rows.
    uint64_t BytesIn(uint64_t fractal, uint64_t square) const {
        if (!turned) {
            return RowsIn(fractal) * kRowBytes;
        }
        return BlocksIn(square) == across ? kFractalBytes : kFractalBytes / 2;
    }
};

/// Lists the bytes that a load writes.
struct Written {
    const Extent& extent;
    uint64_t begin;

    void operator()(const PieceVisitor& visit) const {
        for (uint64_t f = 0; f < extent.rowFractals; ++f) {
            for (uint64_t s = 0; s < extent.squares; ++s) {
                for (uint64_t part = 0; part < extent.across; ++part) {
                    visit(0, begin + extent.Offset(f, s, part), extent.BytesIn(f, s));
                }
            }
        }
    }
};

/// Lists the 32 B pieces of the feature map that a load reads, each piece once.
struct PlacesRead {
    const Image& image;
    const Unfolded& unfolded;
    const ImageLoad& load;
    const Extent& extent;

    void operator()(const PieceVisitor& visit) const {
        std::vector<bool> read(image.bytes / kRowBytes);
        for (uint64_t block = 0; block < extent.columnFractals; ++block) {
            for (uint64_t row = 0; row < extent.rows; ++row) {
                const int64_t place = unfolded.Place(load.firstRow + row, load.firstColumn + block);
                if (place >= 0) {
                    read[place] = true;
                }
            }
        }
        for (uint64_t place = 0; place < read.size(); ++place) {
            if (read[place]) {
                visit(0, image.Address(place * kRowBytes), kRowBytes);
            }
        }
    }
};

}  // namespace twin::cube
