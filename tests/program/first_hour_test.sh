#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Programs in their first hour: version, devices, completion, the nearest option and file, exit statuses, plain output.
set -uo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
fail() { echo "FAILED: $*" >&2; exit 1; }

# refuses STATUS SENTENCE COMMAND...: one line on stderr, nothing on stdout.
refuses() {
    local status=$1 sentence=$2 got out
    shift 2
    out=$("$@" 2>said)
    got=$?
    [[ $got -eq $status && -z $out && $(wc -l <said) -eq 1 && $(<said) == "inlay: $sentence" ]] ||
        fail "${*:2} gives $got, '$(<said)', expected $status, 'inlay: $sentence'"
}

version=$(awk '/define INLAY_VERSION_(MAJOR|MINOR|PATCH) / { v = v (v ? "." : "") $3 } END { print v }' \
    "$INLAY_TESTS_DIR/../include/inlay/version.hpp")
for program in "$INLAY_SD" "$INLAY_GPT2"; do
    name=$(basename "$program")
    [[ $("$program" --version) == "$name $version" ]] || fail "$name --version: $("$program" --version)"
    "$program" --help | grep -q '^Exit status: 0 done' || fail "$name --help has no exit statuses"

    # A line for the CPU, and one at least for each vendor, whatever the machine has.
    "$program" --list-devices >devices || fail "$name --list-devices"
    grep -qE "^cpu +$(nproc) threads, (baseline|avx2|avx512)( with BF16)?$" devices || fail "$name: $(<devices)"
    grep -qE '^cuda(:    none: .|:0  .)' devices || fail "$name lists no CUDA: $(<devices)"

    refuses 2 "there is no option --modle; did you mean --model?" "$program" --modle x
    refuses 2 "there is no option --see; did you mean --seed?" "$program" --see=5
    refuses 2 "there is no option --frobnicate" "$program" --frobnicate
    refuses 2 "there is no option word" "$program" word
    refuses 2 "--dtype is 'pf16', expected fp32, fp16 or bf16; did you mean fp16?" "$program" --dtype pf16
    refuses 2 "--threads is -1, expected a whole number from 0 to 1024" "$program" --threads -1
    "$program" --seed >/dev/null 2>said
    [[ $? -eq 2 && $(wc -l <said) -eq 1 ]] || fail "$name --seed without a value: $(<said)"
    "$program" --target sm_9 2>said
    [[ $? -eq 2 && $(<said) =~ ^'inlay: --target is '.sm_9.', expected '.*'; did you mean sm_90?'$ ]] ||
        fail "$name --target sm_9: $(<said)"

    "$program" --make-model tiny "$name" >/dev/null || fail "$name --make-model"
    run=(--prompt x --device cpu --quiet)
    refuses 2 "--model: there is no '${name}x'; did you mean '$name'?" "$program" --model "${name}x" "${run[@]}"
    mkdir -p models && ln -sfn "../$name" "models/$name"
    refuses 2 "--model: there is no 'models/${name/in/ni}/'; did you mean 'models/$name'?" \
        "$program" --model "models/${name/in/ni}/" "${run[@]}"
    refuses 2 "--model: there is no 'far/away'" "$program" --model far/away "${run[@]}"
    cp -r "$name" broken && find broken -name config.json -exec cp /dev/null {} \;
    "$program" --model broken "${run[@]}" >/dev/null 2>said
    [[ $? -eq 1 && $(wc -l <said) -eq 1 ]] || fail "$name with a broken model: $(<said)"
    rm -r broken

    # Completion by the shells that are here, of the words after the program's name.
    complete_by_bash() {
        bash -c 'source <("$1" --completion bash) && COMP_WORDS=("${@:2}") && COMP_CWORD=$(($# - 2))
            compopt() { :; }
            "_${2//-/_}" && printf "%s\n" "${COMPREPLY[@]}" | sort' _ "$program" "$name" "$@"
    }
    complete_by_zsh() {
        HOME=$dir zsh -f "$INLAY_TESTS_DIR/program/zsh_complete.zsh" "$program" "$name" "$@" | tr -d '\\' | sort -u
    }
    complete_by_fish() {
        HOME=$dir fish --no-config -c '$argv[1] --completion fish | source
            complete -C (string join " " -- (string escape -- $argv[2..]))' "$program" "$name" "$@" | cut -f1 | sort
    }
    touch 'a model'
    options=$("$program" --help | grep -oE '^ +(-h,)?--[a-z-]+' | grep -oE -- '--.*' | sort)
    for shell in bash zsh fish; do
        command -v $shell >/dev/null || { echo "skipped: completion by $shell, which is not installed"; continue; }
        # completes EXPECTED WORD...
        completes() {
            local got
            got=$(complete_by_$shell "${@:2}")
            [[ $got == "$1" ]] || fail "$name ${*:2}: $shell completes '$got', expected '$1'"
        }
        completes --seed --se
        completes $'fp16\nfp32' --dtype f
        completes cuda --device cu
        completes sm_80 --target sm_80
        completes '' --seed ''
        completes 'a model' --model 'a m'
        completes "$options" --
    done
    refuses 2 "--completion is 'powershell', expected bash, zsh or fish" "$program" --completion powershell
done

# Plain text: no colours on a terminal, with NO_COLOR or without; a line is rewritten on a terminal that can alone.
picture=("$INLAY_SD" --device cpu --model inlay-sd --prompt x --size 64x64 --steps 2 --seed 1)
on_terminal() { script -qec "$(printf '%q ' env "$@" "${picture[@]}")" /dev/null </dev/null; }
if command -v script >/dev/null; then
    on_terminal TERM=xterm >terminal && grep -q $'\r\\[#' terminal || fail "no bar on a terminal"
    for setting in NO_COLOR=1 NO_COLOR=; do
        on_terminal TERM=xterm $setting | grep -q $'\e' && fail "colours with $setting"
    done
    on_terminal TERM=dumb | grep -q $'\r\\[#' && fail "a bar on a dumb terminal"
fi
"${picture[@]}" 2>piped >/dev/null || fail "a picture"
grep -q $'[\r\e]' piped && fail "a pipe is no terminal"
grep -q '^step 2/2, ' piped || fail "no steps in a pipe"
exit 0
