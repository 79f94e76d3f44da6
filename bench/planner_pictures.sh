#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# bench/planner_pictures.sh: draws the e-graphs of docs/planner.md, docs/img/planner_*.svg, as examples/egraph.cpp
# prints them. Wants Graphviz (`dot`) and a C++20 compiler, $CXX or g++.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
program=$(mktemp)
trap 'rm -f "$program"' EXIT
"${CXX:-g++}" -std=c++20 -I "$root/include" "$root/examples/egraph.cpp" -o "$program"

# picture NAME ARGUMENT...: without Graphviz's own comments, which name its version.
picture() {
    "$program" dot "${@:2}" | dot -Tsvg | sed '/^<!--.*-->$/d; /^<!-- Generated/,/-->$/d' >"$root/docs/img/planner_$1.svg"
}
picture attention
picture attention_written written
