// SPDX-License-Identifier: Apache-2.0
#include "errors.h"

#include "libraries.h"

namespace py = pybind11;

namespace cannery {
namespace {

// Returns the module of the exception classes. They are in Python only, so that this file needs no
// second list of the status names.
py::module_ Errors() { return py::module_::import("cannery.errors"); }

void Raise(const py::object& error) {
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.ptr())), error.ptr());
}

}  // namespace

std::string RecentErrorText() {
    const char* text = Libraries::Instance().Api().aclGetRecentErrMsg();
    return text == nullptr ? std::string() : std::string(text);
}

std::string RecentHazardText() {
    const AclApi& api = Libraries::Instance().Api();
    const char* text = api.recentHazards == nullptr ? nullptr : api.recentHazards();
    return text == nullptr ? std::string() : std::string(text);
}

void Check(int status, const char* api) {
    if (status != 0) {
        throw AclFailure(status, api, RecentErrorText());
    }
}

void RegisterErrors(py::module_&) {
    // NOLINTNEXTLINE(performance-unnecessary-value-param): pybind11 asks for this signature
    py::register_exception_translator([](std::exception_ptr pending) {
        try {
            if (pending) {
                std::rethrow_exception(pending);
            }
        } catch (const AclFailure& failure) {
            Raise(Errors().attr("from_status")(failure.Status(), failure.Api(), failure.what(),
                                               failure.Hazards()));
        } catch (const BackendFailure& failure) {
            Raise(Errors().attr("BackendError")(failure.what()));
        }
    });
}

}  // namespace cannery
