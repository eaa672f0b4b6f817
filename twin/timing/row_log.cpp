// SPDX-License-Identifier: Apache-2.0
#include "timing/row_log.h"

#include <algorithm>
#include <new>

namespace twin::timing {

void RowLog::Begin(Ticks start, uint64_t most) {
    for (Track& track : tracks_) {
        track.done = start;
    }
    kept_.reset(static_cast<Row*>(std::calloc(most, sizeof(Row))));
    scalar_.reset(static_cast<uint32_t*>(std::calloc(most, sizeof(uint32_t))));
    if (most != 0 && (kept_ == nullptr || scalar_ == nullptr)) {
        throw std::bad_alloc();
    }
    count_ = most;
}

RowLog::Open& RowLog::New(uint32_t operation, uint8_t pipe, Ticks start) {
    Open& open = tracks_[pipe].rows.emplace_back();
    open.row.start = open.row.issued = start;
    open.row.operation = operation;
    open.row.core = core_;
    open.row.pipe = pipe;
    open.number = next_++;
    open.ended = false;
    return open;
}

void RowLog::End(Open& open) {
    open.ended = true;
    Track& track = tracks_[open.row.pipe];
    while (!track.rows.empty() && track.rows.front().ended) {
        Take(track, track.rows.front());
        track.rows.pop_front();
    }
}

void RowLog::Take(Track& track, const Open& open) {
    // Rows of a track do not overlap: a row begins when the previous one has ended.
    const Ticks begin = std::max(open.row.start, track.done);
    const Ticks end = std::max(open.row.start + open.row.ticks, track.done);
    operations_.Add(open.row, kind_, open.number, end - begin, begin - track.done);
    track.done = end;
    if (open.number < count_) {
        kept_[open.number] = open.row;
    }
}

}  // namespace twin::timing
