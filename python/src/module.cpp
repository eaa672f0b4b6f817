// SPDX-License-Identifier: Apache-2.0
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "device.h"
#include "errors.h"
#include "kernel.h"
#include "libraries.h"
#include "operator.h"
#include "operator_library.h"

namespace py = pybind11;

namespace {

void DefineDevice(py::module_& module) {
    module.def(
        "open",
        [](const std::vector<std::string>& directories, bool mapHost) {
            cannery::Device::Instance().Configure(directories, mapHost);
        },
        py::arg("directories"), py::arg("map_host") = true);
    module.def("unknown_settings", [] {
        const cannery::UnknownSettings ask = cannery::Api().unknownSettings;
        return std::string(ask == nullptr ? "" : ask());
    });
    module.def("close", [] { cannery::Device::Instance().Close(); });
    module.def("soc_name", [] { return cannery::Device::Instance().SocName(); });
    module.def("runtime_path", [] { return cannery::Libraries::Instance().Path(); });
    module.def("device_id", [] { return cannery::Device::Instance().Id(); });
    module.def("maps_host", [] { return cannery::Device::Instance().MapHost(); });
}

}  // namespace

PYBIND11_MODULE(_native, module) {
    using cannery::Kernel;
    using cannery::Operator;
    using cannery::OperatorLibrary;

    module.doc() =
        "Runs operators and kernels through the acl/aclnn C ABI; which libraries answer is decided "
        "by open().";
    cannery::RegisterErrors(module);

    DefineDevice(module);

    py::class_<OperatorLibrary>(module, "OperatorLibrary")
        .def(py::init([](const std::vector<std::string>& directories, const py::bytes& calls) {
                 return OperatorLibrary(directories, calls);
             }),
             py::arg("directories"), py::arg("calls"))
        .def_property_readonly("path", &OperatorLibrary::Path);

    py::class_<Operator>(module, "Operator")
        .def(py::init([](const OperatorLibrary& library, const std::string& name,
                         const std::string& api,
                         const std::vector<std::pair<std::string, std::string>>& parameters) {
                 std::vector<cannery::Parameter> list;
                 list.reserve(parameters.size());
                 for (const auto& [parameter, kind] : parameters) {
                     list.push_back({parameter, cannery::ValueKindOf(kind)});
                 }
                 return Operator(library, name, api, std::move(list));
             }),
             py::arg("library"), py::arg("name"), py::arg("api"), py::arg("parameters"))
        .def("__call__", &Operator::Call, py::arg("settings") = cannery::LaunchSettings());

    py::class_<Kernel>(module, "Kernel")
        // Paths are bytes, because a file name need not be valid UTF-8.
        .def(py::init([](const py::bytes& path, std::string name, bool launchForm) {
                 return Kernel(path, std::move(name), launchForm);
             }),
             py::arg("path"), py::arg("name"), py::arg("launch_form"))
        .def(
            "launch",
            [](Kernel& kernel, const std::vector<std::pair<py::object, size_t>>& arguments,
               uint32_t blockDim, uint64_t workspace, const py::bytes& tiling, uint64_t tilingKey,
               std::map<std::string, std::string> settings) {
                return kernel.Launch(arguments,
                                     {blockDim, workspace, tiling, tilingKey, std::move(settings)});
            },
            py::arg("arguments"), py::arg("block_dim"), py::arg("workspace"), py::arg("tiling"),
            py::arg("tiling_key"), py::arg("settings"));
}
