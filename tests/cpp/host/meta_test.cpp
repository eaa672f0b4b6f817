// SPDX-License-Identifier: Apache-2.0
// Tests of aclnn meta objects: creation, getters, ownership.
#include <cstdint>
#include <memory>
#include <vector>

#include "acl_session.h"
#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"
#include "check.h"

namespace {

using Getter = aclnnStatus (*)(const aclTensor*, int64_t**, uint64_t*);

std::vector<int64_t> Ask(Getter getter, const aclTensor* tensor) {
    int64_t* values = nullptr;
    uint64_t count = 0;
    CHECK_EQ(getter(tensor, &values, &count), OK);
    const std::unique_ptr<int64_t[]> owner(values);
    return std::vector<int64_t>(values, values + count);
}

}  // namespace

TEST(TensorsAnswerWhatTheyWereGiven) {
    const int64_t dims[] = {2, 3};
    const int64_t strides[] = {1, 2};
    const int64_t storage[] = {6};
    float data[10];
    aclTensor* const tensor =
        aclCreateTensor(dims, 2, ACL_FLOAT, strides, 4, ACL_FORMAT_NCL, storage, 1, data);
    CHECK(Ask(aclGetViewShape, tensor) == std::vector<int64_t>({2, 3}));
    CHECK(Ask(aclGetViewStrides, tensor) == std::vector<int64_t>({1, 2}));
    CHECK(Ask(aclGetStorageShape, tensor) == std::vector<int64_t>({6}));
    int64_t offset = 0;
    aclFormat format = ACL_FORMAT_UNDEFINED;
    aclDataType type = ACL_DT_UNDEFINED;
    void* address = nullptr;
    CHECK_EQ(aclGetViewOffset(tensor, &offset), OK);
    CHECK_EQ(aclGetFormat(tensor, &format), OK);
    CHECK_EQ(aclGetDataType(tensor, &type), OK);
    CHECK_EQ(aclGetRawTensorAddr(tensor, &address), OK);
    CHECK_EQ(offset, 4);
    CHECK_EQ(static_cast<int>(format), static_cast<int>(ACL_FORMAT_NCL));
    CHECK_EQ(static_cast<int>(type), static_cast<int>(ACL_FLOAT));
    CHECK(address == data);
    CHECK_EQ(aclSetRawTensorAddr(tensor, data + 1), OK);
    CHECK_EQ(aclGetRawTensorAddr(tensor, &address), OK);
    CHECK(address == data + 1);
    const int64_t one[] = {5};
    CHECK_EQ(aclInitTensor(tensor, one, 1, ACL_INT8, nullptr, 0, ACL_FORMAT_ND, one, 1, nullptr),
             OK);
    CHECK(Ask(aclGetViewStrides, tensor) == std::vector<int64_t>({1}));
    CHECK_EQ(aclDestroyTensor(tensor), OK);
    CHECK_EQ(aclGetViewOffset(tensor, &offset), 161002);
    CHECK_EQ(aclDestroyTensor(tensor), OK);
}

TEST(StridesDefaultToContiguous) {
    const int64_t dims[] = {2, 3, 4};
    aclTensor* const tensor =
        aclCreateTensor(dims, 3, ACL_INT4, nullptr, 0, ACL_FORMAT_ND, dims, 3, nullptr);
    CHECK(Ask(aclGetViewStrides, tensor) == std::vector<int64_t>({12, 4, 1}));
    CHECK_EQ(aclDestroyTensor(tensor), OK);
    aclTensor* const scalar =
        aclCreateTensor(nullptr, 0, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, nullptr, 0, nullptr);
    CHECK(scalar != nullptr);
    CHECK(Ask(aclGetViewShape, scalar).empty());
    CHECK_EQ(aclDestroyTensor(scalar), OK);
}

TEST(ImpossibleTensorsAreNull) {
    const int64_t dims[] = {2};
    CHECK(aclCreateTensor(nullptr, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, dims, 1, nullptr) ==
          nullptr);
    CHECK(aclCreateTensor(dims, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, nullptr, 1, nullptr) ==
          nullptr);
    CHECK(aclCreateTensor(dims, uint64_t{1} << 50, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, dims, 1,
                          nullptr) == nullptr);
    CHECK(MessageHas("viewDimsNum"));
}

TEST(MemoryThatIsNotThereIsNoArgument) {
    const int64_t dims[] = {2};
    // An address in the first page, where no memory is mapped.
    const auto* const gone = reinterpret_cast<const int64_t*>(0x10);
    CHECK(aclCreateTensor(gone, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, dims, 1, nullptr) ==
          nullptr);
    CHECK(MessageHas("aclCreateTensor: viewDims is 0x10, where 8 bytes were to be read"));
    CHECK(aclCreateTensor(dims, 1, ACL_FLOAT, gone, 0, ACL_FORMAT_ND, dims, 1, nullptr) == nullptr);
    CHECK(MessageHas("stride is"));
    aclTensor* const tensor =
        aclCreateTensor(dims, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, dims, 1, nullptr);
    CHECK_EQ(aclInitTensor(tensor, dims, 1, ACL_INT8, nullptr, 7, ACL_FORMAT_ND, gone, 1, nullptr),
             161002);
    CHECK(MessageHas("storageDims is"));
    int64_t offset = -1;
    CHECK_EQ(aclGetViewOffset(tensor, &offset), OK);
    CHECK_EQ(offset, 0);
    CHECK_EQ(aclDestroyTensor(tensor), OK);
    CHECK(aclCreateIntArray(gone, 3) == nullptr);
    CHECK(MessageHas("value is 0x10"));
    CHECK(aclCreateTensorList(reinterpret_cast<const aclTensor* const*>(gone), 1) == nullptr);
    CHECK(aclCreateScalar(const_cast<int64_t*>(gone), ACL_FLOAT) == nullptr);
}

TEST(CountsThatWrapAreRefused) {
    const int64_t values[] = {1, 2};
    for (const uint64_t size : {uint64_t{1} << 61, ~uint64_t{0}, uint64_t{1} << 33}) {
        CHECK(aclCreateIntArray(values, size) == nullptr);
        CHECK(MessageHas("the size of value is"));
    }
}

TEST(GettersCheckTheirPointers) {
    int64_t offset = 0;
    const int64_t dims[] = {2};
    aclTensor* const tensor =
        aclCreateTensor(dims, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, dims, 1, nullptr);
    CHECK_EQ(aclGetViewOffset(nullptr, &offset), 161001);
    CHECK_EQ(aclGetViewOffset(tensor, nullptr), 161001);
    CHECK_EQ(aclGetViewOffset(reinterpret_cast<aclTensor*>(&offset), &offset), 161002);
    CHECK_EQ(aclDestroyTensor(nullptr), OK);
    CHECK_EQ(aclDestroyTensor(tensor), OK);
}

TEST(ArraysAndScalarsCopyTheirValues) {
    const int64_t ints[] = {1, 2, 3};
    const float floats[] = {1.5f};
    const bool bools[] = {true, false};
    float value = 2.0f;
    uint64_t size = 0;
    aclIntArray* const intArray = aclCreateIntArray(ints, 3);
    aclFloatArray* const floatArray = aclCreateFloatArray(floats, 1);
    aclBoolArray* const boolArray = aclCreateBoolArray(bools, 2);
    aclScalar* const scalar = aclCreateScalar(&value, ACL_FLOAT);
    CHECK_EQ(aclGetIntArraySize(intArray, &size), OK);
    CHECK_EQ(size, 3u);
    CHECK_EQ(aclGetFloatArraySize(floatArray, &size), OK);
    CHECK_EQ(size, 1u);
    CHECK_EQ(aclGetBoolArraySize(boolArray, &size), OK);
    CHECK_EQ(size, 2u);
    CHECK(scalar != nullptr);
    CHECK(aclCreateScalar(nullptr, ACL_FLOAT) == nullptr);
    CHECK(aclCreateScalar(&value, ACL_INT4) == nullptr);
    CHECK(aclCreateIntArray(nullptr, 2) == nullptr);
    CHECK_EQ(aclDestroyIntArray(intArray), OK);
    CHECK_EQ(aclGetIntArraySize(intArray, &size), 161002);
    CHECK_EQ(aclGetIntArraySize(nullptr, &size), 161001);
    CHECK_EQ(aclDestroyFloatArray(floatArray), OK);
    CHECK_EQ(aclDestroyBoolArray(boolArray), OK);
    CHECK_EQ(aclDestroyScalar(scalar), OK);
}

TEST(ListsOwnTheirElements) {
    const int64_t dims[] = {2};
    aclTensor* const tensor =
        aclCreateTensor(dims, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, dims, 1, nullptr);
    const aclTensor* const elements[] = {tensor};
    aclTensorList* const list = aclCreateTensorList(elements, 1);
    uint64_t size = 0;
    int64_t offset = 0;
    CHECK_EQ(aclGetTensorListSize(list, &size), OK);
    CHECK_EQ(size, 1u);
    CHECK_EQ(aclDestroyTensorList(list), OK);
    CHECK_EQ(aclGetViewOffset(tensor, &offset), 161002);
    CHECK_EQ(aclnnInit(nullptr), OK);
    CHECK_EQ(aclnnFinalize(), OK);
}

int main(int argc, char** argv) { return check::RunTests(argc, argv); }
