// SPDX-License-Identifier: Apache-2.0
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "device.h"
#include "errors.h"
#include "kernel.h"
#include "libraries.h"
#include "ops.h"

namespace py = pybind11;

PYBIND11_MODULE(_native, module) {
    using cannery::Device;
    using cannery::Kernel;

    module.doc() =
        "Runs operators and kernels through the acl/aclnn C ABI; which libraries answer is decided "
        "by open().";
    cannery::RegisterErrors(module);

    module.def(
        "open",
        [](const std::vector<std::string>& directories, bool mapHost) {
            Device::Instance().Configure(directories, mapHost);
        },
        py::arg("directories"), py::arg("map_host") = true);
    module.def("close", [] { Device::Instance().Close(); });
    module.def("soc_name", [] { return Device::Instance().SocName(); });
    module.def("maps_host", [] { return Device::Instance().MapHost(); });
    module.def("operator_library", [] { return cannery::Libraries::Instance().OperatorLibrary(); });

    py::class_<Kernel>(module, "Kernel")
        // Paths are bytes: a file name need not be text.
        .def(py::init([](const py::bytes& path, std::string name) {
                 return Kernel(path, std::move(name));
             }),
             py::arg("path"), py::arg("name"))
        .def(
            "launch",
            [](Kernel& kernel, const std::vector<py::object>& arrays, uint32_t blockDim,
               uint64_t workspace, const py::bytes& tiling, uint64_t tilingKey,
               const py::bytes& dump) {
                return kernel.Launch(arrays, {blockDim, workspace, tiling, tilingKey, dump});
            },
            py::arg("arrays"), py::arg("block_dim"), py::arg("workspace"), py::arg("tiling"),
            py::arg("tiling_key"), py::arg("dump"));

    py::module_ ops = module.def_submodule(
        "ops", "One function per operator, parameters as in its aclnn signature.");
    cannery::RegisterOps(ops);
}
