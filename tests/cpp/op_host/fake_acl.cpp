// SPDX-License-Identifier: Apache-2.0
// A small acl for Python tests that load the public aclnn functions of one operator without a
// runtime. It has tensors, the last error text, and both phases of INNER, the inner function that
// the public functions call. Phase 1 only counts its calls.
#include <cstdarg>
#include <cstdio>
#include <vector>

#include "aclnn/acl_meta.h"

struct aclTensor {
    std::vector<int64_t> shape;
    std::vector<int64_t> strides;
    aclDataType dtype;
    aclFormat format;
};

struct aclIntArray {
    std::vector<int64_t> values;
};

namespace {

char lastSentence[4096];
int innerCalls = 0;
aclnnStatus innerStatus = OK;

aclnnStatus Hand(const std::vector<int64_t>& list, int64_t** values, uint64_t* count) {
    *values = new int64_t[list.size()];
    for (size_t i = 0; i < list.size(); ++i) {
        (*values)[i] = list[i];
    }
    *count = list.size();
    return OK;
}

}  // namespace

extern "C" {

aclTensor* FakeTensor(const int64_t* shape, const int64_t* strides, uint64_t rank, int dtype,
                      int format) {
    return new aclTensor{{shape, shape + rank},
                         {strides, strides + rank},
                         static_cast<aclDataType>(dtype),
                         static_cast<aclFormat>(format)};
}
void FakeTensorFree(aclTensor* tensor) { delete tensor; }
const char* FakeSentence() { return lastSentence; }
int FakeInnerCalls() { return innerCalls; }
/// Sets what phase 1 of the inner functions returns from now on.
void FakeInnerStatus(aclnnStatus status) { innerStatus = status; }

void aclAppLog(aclLogLevel, const char*, const char*, uint32_t, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(lastSentence, sizeof(lastSentence), format, arguments);
    va_end(arguments);
}
aclIntArray* aclCreateIntArray(const int64_t* values, uint64_t size) {
    return new aclIntArray{{values, values + size}};
}
aclnnStatus aclDestroyIntArray(const aclIntArray* array) {
    delete array;
    return OK;
}
aclnnStatus aclGetIntArraySize(const aclIntArray* array, uint64_t* size) {
    *size = array->values.size();
    return OK;
}
aclnnStatus aclGetViewShape(const aclTensor* tensor, int64_t** values, uint64_t* count) {
    return Hand(tensor->shape, values, count);
}
aclnnStatus aclGetViewStrides(const aclTensor* tensor, int64_t** values, uint64_t* count) {
    return Hand(tensor->strides, values, count);
}
aclnnStatus aclGetDataType(const aclTensor* tensor, aclDataType* dtype) {
    *dtype = tensor->dtype;
    return OK;
}
aclnnStatus aclGetFormat(const aclTensor* tensor, aclFormat* format) {
    *format = tensor->format;
    return OK;
}

// Makes no tensor, because INNER's phase 1 in this file does not read its arguments.
aclTensor* aclCreateTensor(const int64_t*, uint64_t, aclDataType, const int64_t*, int64_t,
                           aclFormat, const int64_t*, uint64_t, void*) {
    return nullptr;
}

// Each operator's INNER has other parameters, which this file does not read. With C linkage the
// caller removes the arguments, so a definition without parameters works for every operator.
#define JOINED(a, b) a##b
#define JOIN(a, b) JOINED(a, b)
aclnnStatus JOIN(INNER, GetWorkspaceSize)() {
    ++innerCalls;
    return innerStatus;
}
aclnnStatus INNER() { return OK; }

}  // extern "C"
