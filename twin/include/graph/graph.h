// SPDX-License-Identifier: Apache-2.0
#ifndef GRAPH_GRAPH_H
#define GRAPH_GRAPH_H

#include "graph/operator.h"

namespace ge {

/// A node of a graph. The twin has no graph engine, so no node has constant inputs.
class GNode {
public:
    explicit GNode(const Operator& op) : op_(op) {}

    graphStatus GetInputConstData(int32_t, Tensor&) const { return GRAPH_FAILED; }
    graphStatus GetType(AscendString& type) const { return op_.GetOpType(type); }

private:
    Operator op_;
};

class Graph {
public:
    Graph() = default;
    explicit Graph(const char*) {}

    GNode AddNodeByOp(const Operator& op) { return GNode(op); }
};

}  // namespace ge

#endif  // GRAPH_GRAPH_H
