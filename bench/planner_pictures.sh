#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# bench/planner_pictures.sh: draws the e-graphs and kernels of docs/planner.md, docs/img/planner_*.svg, as
# examples/egraph.cpp and examples/planned_layers.cpp print them. Wants Graphviz (`dot`) and a C++20 compiler, $CXX or g++.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
programs=$(mktemp -d)
trap 'rm -rf "$programs"' EXIT
for example in egraph planned_layers; do
    "${CXX:-g++}" -std=c++20 -I "$root/include" "$root/examples/$example.cpp" -o "$programs/$example"
done

# picture NAME EXAMPLE ARGUMENT...: without Graphviz's own comments, which name its version.
picture() {
    "$programs/$2" "${@:3}" | dot -Tsvg | sed '/^<!--.*-->$/d; /^<!-- Generated/,/-->$/d' >"$root/docs/img/planner_$1.svg"
}
picture attention egraph dot
picture attention_written egraph dot written
for layer in resnet self feed_forward; do
    picture "${layer}_written" planned_layers "$layer" written
    picture "${layer}_kernels" planned_layers "$layer" kernels
done
picture resnet_egraph planned_layers shortcut dot
picture feed_forward_egraph planned_layers feed_forward dot
