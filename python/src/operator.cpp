// SPDX-License-Identifier: Apache-2.0
#include "operator.h"

#include <deque>
#include <stdexcept>
#include <utility>

#include "tensors.h"

namespace py = pybind11;

namespace cannery {
namespace {

constexpr std::pair<const char*, ValueKind> kKinds[] = {
    {"input", ValueKind::kInput},
    {"output", ValueKind::kOutput},
    {"in_place", ValueKind::kInPlace},
    {"input_list", ValueKind::kInputList},
    {"output_list", ValueKind::kOutputList},
    {"in_place_list", ValueKind::kInPlaceList},
    {"int_array", ValueKind::kIntArray},
    {"float_array", ValueKind::kFloatArray},
    {"bool_array", ValueKind::kBoolArray},
    {"scalar", ValueKind::kScalar},
    {"scalar_list", ValueKind::kScalarList},
    {"int", ValueKind::kInt},
    {"bool", ValueKind::kBool},
    {"double", ValueKind::kDouble},
    {"float", ValueKind::kFloat},
    {"string", ValueKind::kString},
};

/// Adds a parameter to the tensors of the call; returns false if it is neither tensor nor list.
bool AddTensor(const Parameter& parameter, const py::object& value, Tensors* tensors) {
    switch (parameter.kind) {
        case ValueKind::kInput:
            tensors->Add(parameter.name, value, Access::kRead);
            return true;
        case ValueKind::kOutput:
            tensors->Add(parameter.name, value, Access::kWrite);
            return true;
        case ValueKind::kInPlace:
            tensors->Add(parameter.name, value, Access::kReadWrite);
            return true;
        case ValueKind::kInputList:
            tensors->AddList(parameter.name, value, Access::kRead);
            return true;
        case ValueKind::kOutputList:
            tensors->AddList(parameter.name, value, Access::kWrite);
            return true;
        case ValueKind::kInPlaceList:
            tensors->AddList(parameter.name, value, Access::kReadWrite);
            return true;
        default:
            return false;
    }
}

/// Returns the object that passes an array or a scalar; null for a parameter of another kind.
const void* HostObject(const Parameter& parameter, const py::object& value, HostValues* objects) {
    switch (parameter.kind) {
        case ValueKind::kIntArray:
            return objects->IntArray(parameter.name, value);
        case ValueKind::kFloatArray:
            return objects->FloatArray(parameter.name, value);
        case ValueKind::kBoolArray:
            return objects->BoolArray(parameter.name, value);
        case ValueKind::kScalar:
            return objects->Scalar(parameter.name, value);
        case ValueKind::kScalarList:
            return objects->ScalarList(parameter.name, value);
        default:
            return nullptr;
    }
}

union Number {
    int64_t whole;
    double wide;
    float narrow;
    bool truth;
};

/// The values of a call, in the form that the operator's generated function `<name>_call` accepts.
class Values {
public:
    explicit Values(size_t count) : pointers_(count), numbers_(count) {}

    void Set(size_t index, const void* pointer) { pointers_[index] = pointer; }

    /// Converts a number, bool or string to the type of the parameter; does nothing for tensors and
    /// lists. Throws TypeError for a value of another type.
    void Convert(size_t index, const Parameter& parameter, const py::handle& value) {
        Number& number = numbers_[index];
        switch (parameter.kind) {
            case ValueKind::kInt:
                number.whole = Cast<int64_t>(parameter, value, "a 64-bit integer");
                break;
            case ValueKind::kBool:
                number.truth = Cast<bool>(parameter, value, "True or False");
                break;
            case ValueKind::kDouble:
                number.wide = Cast<double>(parameter, value, "a number");
                break;
            case ValueKind::kFloat:
                number.narrow = Cast<float>(parameter, value, "a number");
                break;
            case ValueKind::kString:
                texts_.push_back(Cast<std::string>(parameter, value, "a string"));
                if (texts_.back().find('\0') != std::string::npos) {
                    throw py::type_error(parameter.name + ": expected no null character in it");
                }
                Set(index, texts_.back().c_str());
                return;
            default:
                return;
        }
        Set(index, &number);
    }

    const void* const* Pointers() const { return pointers_.data(); }

private:
    template <typename T>
    static T Cast(const Parameter& parameter, const py::handle& value, const char* expected) {
        py::detail::make_caster<T> caster;
        if (!caster.load(value, true)) {
            throw py::type_error(parameter.name + ": expected " + expected + ", got " +
                                 std::string(py::str(py::type::of(value).attr("__name__"))));
        }
        return py::detail::cast_op<T>(caster);
    }

    std::vector<const void*> pointers_;
    std::vector<Number> numbers_;
    std::deque<std::string> texts_;
};

}  // namespace

ValueKind ValueKindOf(const std::string& kind) {
    for (const auto& [name, value] : kKinds) {
        if (kind == name) {
            return value;
        }
    }
    throw std::invalid_argument(
        "kind of a parameter: expected input, output or in_place, also with _list; int, bool, "
        "double, float, string, int_array, float_array, bool_array, scalar or scalar_list, got " +
        kind);
}

Operator::Operator(const OperatorLibrary& library, const std::string& name, const std::string& api,
                   std::vector<Parameter> parameters)
    : api_(api),
      parameters_(std::move(parameters)),
      call_(reinterpret_cast<CallPhase1>(library.Call(name + "_call"))),
      phase1_(library.Aclnn(api + "GetWorkspaceSize")),
      phase2_(reinterpret_cast<Phase2>(library.Aclnn(api))) {}

void Operator::Call(const py::args& given, const LaunchSettings& settings) const {
    const size_t count = parameters_.size();
    if (given.size() != count) {
        throw py::type_error(api_ + ": expected " + std::to_string(count) + " values, got " +
                             std::to_string(given.size()));
    }
    Values values(count);
    for (size_t i = 0; i < count; ++i) {
        values.Convert(i, parameters_[i], given[i]);
    }
    const RunScope scope;
    Tensors tensors;
    HostValues objects;
    std::vector<size_t> places;  // the parameters that are tensors or lists of tensors
    for (size_t i = 0; i < count; ++i) {
        if (AddTensor(parameters_[i], given[i], &tensors)) {
            places.push_back(i);
        } else if (const void* object = HostObject(parameters_[i], given[i], &objects)) {
            values.Set(i, object);
        }
    }
    tensors.Open();
    for (size_t i = 0; i < places.size(); ++i) {
        values.Set(places[i], tensors[i]);
    }
    RunOperator(
        scope, api_, settings,
        [&](uint64_t* workspaceSize, aclOpExecutor** executor) {
            return call_(phase1_, values.Pointers(), workspaceSize, executor);
        },
        phase2_);
    tensors.CopyBack();
}

}  // namespace cannery
