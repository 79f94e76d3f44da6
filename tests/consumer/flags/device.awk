# SPDX-License-Identifier: Apache-2.0
# Reads the PTX of device.cu, compiled with `flags`. NaN passes max and min whatever they are; each of the others has
# the instructions that the table of docs/numerics.md goes back to. Exit status 0: all is so.
function expect(kernel, pattern) {
    if (code[kernel] ~ pattern) return
    printf "%s (%s) has no %s:%s\n", kernel, flags, pattern, code[kernel]
    bad = 1
}
/\.entry/ { match($0, /[a-z]+_/); kernel = substr($0, RSTART, RLENGTH) }
/^\t.*;/ { sub(/^\t(@!?%p[0-9]+ )?/, ""); code[kernel] = code[kernel] " " $1 }
END {
    fast = flags ~ /use_fast_math/
    ftz = fast || flags ~ /ftz=true/ ? ".ftz" : ""
    for (k in code) ++kernels
    if (kernels != 12) { print kernels " kernels, expected 12"; exit 1 }
    expect("max_", "setp.nan" ftz ".f32")
    expect("min_", "setp.nan" ftz ".f32")
    expect("select_", "setp.neu" ftz ".f32")
    expect("add_", "add(.rn)?" ftz ".f32")
    expect("fma_", flags ~ /fmad=false/ ? "mul.rn" ftz ".f32 add.rn" ftz ".f32" : "fma.rn" ftz ".f32")
    expect("divide_", fast ? "div.approx.ftz.f32" : flags ~ /prec-div=false/ ? "div.full" ftz ".f32" : "div.rn.f32")
    expect("sqrt_", fast ? "sqrt.approx.ftz.f32" : flags ~ /prec-sqrt=false/ ? "sqrt.approx" ftz ".f32" : "sqrt.rn.f32")
    expect("exp_", fast ? "mul.ftz.f32 ex2.approx.ftz.f32 st" : "fma.*ex2.approx.ftz.f32 mul")
    expect("log_", fast ? "lg2.approx.ftz.f32 mul.ftz.f32 st" : "fma.*fma")
    expect("tanh_", fast ? "tanh.approx.f32 st" : "ex2.*rcp")
    expect("sin_", fast ? "sin.approx.ftz.f32 st" : "fma.*fma")
    expect("erf_", "fma.*fma.*ex2")
    exit bad
}
