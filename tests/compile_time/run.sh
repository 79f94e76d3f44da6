#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Compile time of a node of an expression: docs/expressions.md has the seconds, budgets.py judges counts.
set -uo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../../cmake/shell.sh"
find_compilers compile_time
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 "$root/tests/compile_time/budgets.py" "$root/include" "$work" "${compilers[@]/#nvcc/$nvcc}"
