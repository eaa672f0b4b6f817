# generated from op_proto/grouped_matmul_finalize_routing.toml, op_proto/moe_init_routing_v2_grad.toml, op_proto/moe_token_permute_with_routing_map.toml, op_proto/nsa_compress_grad.toml, op_proto/swi_glu_grad.toml; do not edit
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

_Tensor = npt.NDArray[Any] | None
_IntArray = Sequence[int] | np.ndarray[Any, Any] | None

def grouped_matmul_finalize_routing(
    x: _Tensor,
    w: _Tensor,
    scale: _Tensor,
    bias: _Tensor,
    pertoken_scale: _Tensor,
    group_list: _Tensor,
    shared_input: _Tensor,
    logit: _Tensor,
    row_index: _Tensor,
    dtype: int,
    shared_input_weight: float,
    shared_input_offset: int,
    transpose_x: bool,
    transpose_w: bool,
    group_list_type: int,
    y: _Tensor,
) -> None: ...
def moe_init_routing_v2_grad(
    grad_expanded_x: _Tensor,
    expanded_row_idx: _Tensor,
    top_k: int,
    drop_pad_mode: int,
    active_num: int,
    grad_x: _Tensor,
) -> None: ...
def moe_token_permute_with_routing_map(
    tokens: _Tensor,
    routing_map: _Tensor,
    probs: _Tensor,
    num_out_tokens: int,
    drop_and_pad: bool,
    permute_tokens: _Tensor,
    permute_probs: _Tensor,
    sorted_indices: _Tensor,
) -> None: ...
def nsa_compress_grad(
    output_grad: _Tensor,
    input: _Tensor,
    weight: _Tensor,
    act_seq_len_optional: _IntArray,
    compress_block_size: int,
    compress_stride: int,
    act_seq_len_type: int,
    layout_optional: str,
    input_grad: _Tensor,
    weight_grad: _Tensor,
) -> None: ...
def swi_glu_grad(
    y_grad: _Tensor,
    x: _Tensor,
    dim: int,
    x_grad: _Tensor,
) -> None: ...
