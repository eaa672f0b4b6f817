// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <system_error>
#include <thread>

#include "host/executor.h"

namespace twin::host {
namespace {

struct Wide {
    uint64_t low;
    uint64_t high;
};

/// Copies a plane of rows x columns from strided memory. If columnStride is not 1, it copies square
/// tiles, so that a transposition uses all bytes of every cache line that it loads.
template <typename T>
void CopyPlane(const T* source, int64_t rows, int64_t columns, int64_t rowStride,
               int64_t columnStride, T* target) {
    constexpr int64_t kTile = 32;
    if (columnStride == 1) {
        for (int64_t r = 0; r < rows; ++r) {
            std::memcpy(target + r * columns, source + r * rowStride,
                        static_cast<size_t>(columns) * sizeof(T));
        }
        return;
    }
    for (int64_t r0 = 0; r0 < rows; r0 += kTile) {
        const int64_t r1 = std::min(rows, r0 + kTile);
        for (int64_t c0 = 0; c0 < columns; c0 += kTile) {
            const int64_t c1 = std::min(columns, c0 + kTile);
            for (int64_t r = r0; r < r1; ++r) {
                for (int64_t c = c0; c < c1; ++c) {
                    target[r * columns + c] = source[r * rowStride + c * columnStride];
                }
            }
        }
    }
}

/// A view as a number of planes: the last two dimensions are a plane, the others count planes.
struct Planes {
    explicit Planes(const StridedView& view) : outer(view) {
        while (outer.dims.size() < 2) {
            outer.dims.insert(outer.dims.begin(), 1);
            outer.strides.insert(outer.strides.begin(), 0);
        }
        columns = Pop(&columnStride);
        rows = Pop(&rowStride);
        for (int64_t dim : outer.dims) {
            count *= dim;
        }
    }

    int64_t SourceOffset(int64_t plane) const {
        int64_t offset = 0;
        for (size_t i = outer.dims.size(); i-- > 0;) {
            offset += plane % outer.dims[i] * outer.strides[i];
            plane /= outer.dims[i];
        }
        return offset;
    }

    StridedView outer;
    int64_t rows = 1, columns = 1, rowStride = 0, columnStride = 0, count = 1;

private:
    int64_t Pop(int64_t* stride) {
        const int64_t dim = outer.dims.back();
        *stride = outer.strides.back();
        outer.dims.pop_back();
        outer.strides.pop_back();
        return dim;
    }
};

/// Copies the rows [begin, end). Row numbers continue from each plane to the next one.
template <typename T>
void CopyRows(const T* source, const Planes& planes, int64_t begin, int64_t end, T* target) {
    while (begin < end) {
        const int64_t plane = begin / planes.rows;
        const int64_t row = begin % planes.rows;
        const int64_t rows = std::min(planes.rows - row, end - begin);
        CopyPlane(source + planes.SourceOffset(plane) + row * planes.rowStride, rows,
                  planes.columns, planes.rowStride, planes.columnStride,
                  target + begin * planes.columns);
        begin += rows;
    }
}

template <typename T>
bool CopyTyped(const void* source, const Planes& planes, void* target, uint32_t threads,
               MemoryFault* fault) {
    constexpr int64_t kBytesPerThread = 1 << 20;
    const int64_t rows = planes.count * planes.rows;
    const int64_t bytes = rows * planes.columns * static_cast<int64_t>(sizeof(T));
    const int64_t workers =
        std::max<int64_t>(1, std::min<int64_t>({threads, rows, bytes / kBytesPerThread}));
    std::vector<MemoryFault> faults(static_cast<size_t>(workers));
    std::vector<char> good(static_cast<size_t>(workers), 1);
    const auto part = [&](int64_t worker) {
        const auto copy = [&] {
            CopyRows(static_cast<const T*>(source), planes, rows * worker / workers,
                     rows * (worker + 1) / workers, static_cast<T*>(target));
        };
        good[worker] = Contained(copy, &faults[worker]) ? 1 : 0;
    };
    std::vector<std::thread> others;
    others.reserve(static_cast<size_t>(workers));
    for (int64_t worker = 1; worker < workers; ++worker) {
        try {
            others.emplace_back(part, worker);
        } catch (const std::system_error&) {  // no more threads are available
            part(worker);
        }
    }
    part(0);
    for (std::thread& other : others) {
        other.join();
    }
    const auto bad = std::find(good.begin(), good.end(), 0);
    if (bad != good.end()) {
        *fault = faults[static_cast<size_t>(bad - good.begin())];
    }
    return bad == good.end();
}

}  // namespace

bool ExtentOf(const StridedView& view, ViewExtent* extent) {
    *extent = ViewExtent{0, 0, 1};
    bool fits = true;
    for (size_t i = 0; i < view.dims.size(); ++i) {
        if (view.dims[i] < 0) {
            return false;
        }
        fits = fits && !__builtin_mul_overflow(extent->elements, view.dims[i], &extent->elements);
    }
    if (std::find(view.dims.begin(), view.dims.end(), 0) != view.dims.end()) {
        *extent = ViewExtent{0, 0, 0};
        return true;
    }
    for (size_t i = 0; i < view.dims.size() && fits; ++i) {
        int64_t reach = 0;
        fits = !__builtin_mul_overflow(view.dims[i] - 1, view.strides[i], &reach);
        int64_t* const side = reach < 0 ? &extent->first : &extent->last;
        fits = fits && !__builtin_add_overflow(*side, reach, side);
    }
    return fits;
}

bool IsContiguous(const StridedView& view) {
    ViewExtent extent;
    if (!ExtentOf(view, &extent) || extent.elements <= 1) {
        return true;
    }
    int64_t expected = 1;
    for (size_t i = view.dims.size(); i-- > 0;) {
        if (view.dims[i] == 1) {
            continue;
        }
        if (view.strides[i] != expected) {
            return false;
        }
        expected *= view.dims[i];
    }
    return true;
}

StridedView Simplify(const StridedView& view) {
    StridedView simple;
    for (size_t i = 0; i < view.dims.size(); ++i) {
        if (view.dims[i] == 1) {
            continue;
        }
        if (!simple.dims.empty() && simple.strides.back() == view.strides[i] * view.dims[i]) {
            simple.dims.back() *= view.dims[i];
            simple.strides.back() = view.strides[i];
        } else {
            simple.dims.push_back(view.dims[i]);
            simple.strides.push_back(view.strides[i]);
        }
    }
    return simple;
}

bool CopyStrided(const void* source, const StridedView& view, uint32_t elementBytes, void* target,
                 uint32_t threads, MemoryFault* fault) {
    ViewExtent extent;
    if (!ExtentOf(view, &extent) || extent.elements == 0) {
        return true;
    }
    const Planes planes(Simplify(view));
    switch (elementBytes) {
        case 1:
            return CopyTyped<uint8_t>(source, planes, target, threads, fault);
        case 2:
            return CopyTyped<uint16_t>(source, planes, target, threads, fault);
        case 4:
            return CopyTyped<uint32_t>(source, planes, target, threads, fault);
        case 8:
            return CopyTyped<uint64_t>(source, planes, target, threads, fault);
        case 16:
            return CopyTyped<Wide>(source, planes, target, threads, fault);
        default:
            return true;
    }
}

}  // namespace twin::host
