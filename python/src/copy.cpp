// SPDX-License-Identifier: Apache-2.0
#include "copy.h"

#include <pybind11/pybind11.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <system_error>
#include <thread>

#include "device.h"
#include "errors.h"
#include "libraries.h"

namespace cannery {
namespace {

constexpr uint64_t kChunkBytes = 8ULL << 20;
constexpr uint32_t kMaxThreads = 4;  // more threads do not copy faster over a host link

std::vector<Copy> Split(const std::vector<Copy>& copies) {
    std::vector<Copy> chunks;
    for (const Copy& copy : copies) {
        for (uint64_t done = 0; done < copy.bytes; done += kChunkBytes) {
            chunks.push_back({static_cast<char*>(copy.to) + done,
                              static_cast<const char*>(copy.from) + done,
                              std::min(kChunkBytes, copy.bytes - done)});
        }
    }
    return chunks;
}

class Worker {
public:
    Worker(const std::vector<Copy>& chunks, aclrtMemcpyKind kind, std::atomic<size_t>* next)
        : chunks_(chunks), kind_(kind), next_(next) {}

    void operator()() {
        for (size_t i = (*next_)++; i < chunks_.size() && status == 0; i = (*next_)++) {
            const Copy& chunk = chunks_[i];
            Step(Libraries::Instance().Api().aclrtMemcpy(chunk.to, chunk.bytes, chunk.from,
                                                         chunk.bytes, kind_));
        }
    }

    void OnOwnThread() {
        Step(Libraries::Instance().Api().aclrtSetCurrentContext(Device::Instance().Context()));
        (*this)();
    }

    aclError status = 0;
    std::string text;

private:
    void Step(aclError result) {
        if (result != 0) {
            status = result;
            text = RecentErrorText();
        }
    }

    const std::vector<Copy>& chunks_;
    aclrtMemcpyKind kind_;
    std::atomic<size_t>* next_;
};

/// Starts one more thread. If the system refuses, returns false; the other threads then copy all.
bool Start(std::vector<std::thread>* threads, Worker* worker) {
    try {
        threads->emplace_back(&Worker::OnOwnThread, worker);
        return true;
    } catch (const std::system_error&) {
        return false;
    }
}

}  // namespace

void CopyAll(const std::vector<Copy>& copies, aclrtMemcpyKind kind) {
    const std::vector<Copy> chunks = Split(copies);
    if (chunks.empty()) {
        return;
    }
    const uint32_t available =
        std::max(1U, std::min(kMaxThreads, std::thread::hardware_concurrency()));
    std::atomic<size_t> next{0};
    std::vector<Worker> workers(std::min<size_t>(available, chunks.size()),
                                Worker(chunks, kind, &next));
    {
        pybind11::gil_scoped_release release;
        std::vector<std::thread> threads;
        size_t started = 1;
        while (started < workers.size() && Start(&threads, &workers[started])) {
            ++started;
        }
        workers[0]();
        for (std::thread& thread : threads) {
            thread.join();
        }
    }
    for (const Worker& worker : workers) {
        if (worker.status != 0) {
            throw AclFailure(worker.status, "aclrtMemcpy", worker.text);
        }
    }
}

}  // namespace cannery
