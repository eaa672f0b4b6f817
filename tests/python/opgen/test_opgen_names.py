# SPDX-License-Identifier: Apache-2.0
"""Tests op_build's rules for names with the names of real operators."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cannery.opgen import dtypes, names


@pytest.mark.parametrize(
    ("op_type", "snake"),
    [
        ("SwiGluGrad", "swi_glu_grad"),
        ("MoeInitRoutingV2Grad", "moe_init_routing_v2_grad"),
        ("MoeTokenPermuteWithRoutingMap", "moe_token_permute_with_routing_map"),
        ("GroupedMatmulFinalizeRouting", "grouped_matmul_finalize_routing"),
        ("NsaCompressGrad", "nsa_compress_grad"),
        ("FFN", "ffn"),
        ("ScatterNDUpdate", "scatter_nd_update"),
        ("outputGrad", "output_grad"),
        ("y_grad", "y_grad"),
    ],
)
def test_snake_case(op_type: str, snake: str) -> None:
    assert names.snake_case(op_type) == snake


@pytest.mark.parametrize(
    ("name", "camel"),
    [
        ("y_grad", "yGrad"),
        ("x", "x"),
        ("expanded_row_idx", "expandedRowIdx"),
        ("outputGrad", "outputGrad"),
        ("Weight", "weight"),
        ("x_2d", "x2d"),
    ],
)
def test_camel_case(name: str, camel: str) -> None:
    assert names.camel_case(name) == camel


@pytest.mark.parametrize(
    ("op_type", "guard"),
    [
        ("SwiGluGrad", "ACLNN_SWI_GLU_GRAD_H_"),
        # A guard has no underscore after a digit; file names follow another rule.
        ("MoeInitRoutingV2Grad", "ACLNN_MOE_INIT_ROUTING_V2GRAD_H_"),
        ("NsaCompressGrad", "ACLNN_NSA_COMPRESS_GRAD_H_"),
    ],
)
def test_header_guard(op_type: str, guard: str) -> None:
    assert names.header_guard(op_type) == guard


def test_inner_header_guard_has_the_inner_prefix() -> None:
    assert names.header_guard("SwiGluGrad", "aclnnInner") == "ACLNNINNER_SWI_GLU_GRAD_H_"


def test_optional_inputs_are_marked() -> None:
    assert names.input_c_name("probs", optional=True) == "probsOptional"
    assert names.input_c_name("probs", optional=False) == "probs"
    # The suffix Optional is added even if the name already ends with Optional.
    assert names.input_c_name("actSeqLenOptional", optional=True) == "actSeqLenOptionalOptional"


@pytest.mark.parametrize(
    ("attr_type", "c_name"),
    [
        ("int", "layout"),
        ("float", "layout"),
        ("bool", "layout"),
        ("string", "layoutOptional"),
        ("list_int", "layoutOptional"),
    ],
)
def test_only_nullable_optional_attributes_are_marked(attr_type: str, c_name: str) -> None:
    assert names.attr_c_name("layout", attr_type, optional=True) == c_name
    assert names.attr_c_name("layout", attr_type, optional=False) == "layout"


def test_a_single_output_is_out() -> None:
    assert names.output_c_name("x_grad", optional=False, output_count=1) == "out"


def test_several_outputs_get_a_suffix() -> None:
    assert names.output_c_name("inputGrad", optional=False, output_count=2) == "inputGradOut"
    assert names.output_c_name("permute_probs", True, 3) == "permuteProbsOutOptional"


def test_declarations() -> None:
    assert names.declaration(names.TENSOR, "x") == "const aclTensor *x"
    assert names.declaration("int64_t", "dim") == "int64_t dim"
    assert names.declaration("char *", "layoutOptional") == "char *layoutOptional"


def test_schema_and_tables_know_the_same_dtypes_and_formats(root: Path) -> None:
    schema = json.loads((root / "python/cannery/opgen/schema.json").read_text())
    assert schema["$defs"]["dtypes"]["items"]["enum"] == list(dtypes.DTYPES)
    assert schema["$defs"]["formats"]["items"]["enum"] == list(dtypes.FORMATS)
    assert schema["$defs"]["attr"]["properties"]["type"]["enum"] == list(names.ATTR_C_TYPES)
