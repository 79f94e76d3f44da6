#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# inlay-gpt2 with the tiny model that it makes: texts, what ends them, and what it says of bad input.
set -uo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
fail() { echo "FAILED: $*" >&2; exit 1; }
on_cpu() { "$INLAY_GPT2" --device cpu "$@"; }
gpt2() { on_cpu --model tiny --quiet --tokens 24 "$@"; }

[[ $("$INLAY_GPT2" --make-model tiny tiny) == tiny ]] || fail "--make-model"
"$INLAY_GPT2" --help | grep -q Examples || fail "--help has examples"
"$INLAY_GPT2" --make-model tiny half --dtype fp16 --seed 3 >/dev/null || fail "--make-model in fp16"

# The most likely tokens: the same each time, by any number of threads, from stdin, and whatever the seed.
gpt2 --prompt "A fox" >greedy.txt || fail "a prompt"
[[ -s greedy.txt && $(tail -c 1 greedy.txt | wc -l) -eq 1 ]] || fail "no text, or no end of its line"
iconv -f UTF-8 -t UTF-8 greedy.txt >/dev/null || fail "the text is not UTF-8"
gpt2 --prompt "A fox" --threads 1 --seed 9 | cmp - greedy.txt || fail "the most likely tokens differ"
echo "A fox" | gpt2 --prompt - | cmp - greedy.txt || fail "the prompt of stdin is another"
gpt2 --prompt "A fox" --top-k 1 --temperature 2 --seed 4 | cmp - greedy.txt || fail "one token of k differs"
gpt2 --prompt "A fox" --repetition-penalty 3 | cmp -s - greedy.txt && fail "a penalty that changes nothing"
for dtype in fp16 bf16; do gpt2 --prompt "A fox" --dtype $dtype >/dev/null || fail "$dtype"; done
on_cpu --model half --quiet --prompt x --tokens 4 --dtype bf16 >/dev/null || fail "weights of fp16 in bf16"

if gpt2 --device cuda --prompt x >/dev/null 2>&1; then
    gpt2 --device cuda --prompt "A fox" | cmp - greedy.txt || fail "a GPU's most likely tokens differ"
    gpt2 --device cuda --prompt "A fox" --dtype fp16 >graph.txt || fail "a GPU's tokens in fp16"
    for tokens in 1 7 16; do
        gpt2 --device cuda --prompt "A fox" --dtype fp16 --token-by persistent --tokens-a-launch $tokens |
            cmp - graph.txt || fail "tokens by persistent launches of $tokens differ from the graph's"
    done
    gpt2 --device cuda --prompt "A fox" --dtype fp16 --token-by phases --tokens-a-launch 5 |
        cmp - graph.txt || fail "tokens by a graph of phases differ from the graph's"
    for batch in 2 8; do
        gpt2 --device cuda --prompt "A fox" --dtype fp16 --token-by persistent --batch $batch --seed 1 >batch.txt &&
            [[ $(grep -vc '^\[seed' batch.txt) -eq $(($(wc -l <graph.txt) * batch)) ]] &&
            [[ $(head -n $(($(wc -l <graph.txt) + 1)) batch.txt | tail -n +2) == "$(cat graph.txt)" ]] ||
            fail "texts of $batch by persistent launches differ from the graph's"
    done
    for by in "persistent --batch 4" phases; do
        gpt2 --device cuda --prompt "A fox" --dtype fp32 --token-by $by --seed 1 | grep -v '^\[seed' >batch.txt
        [[ $(head -n $(wc -l <greedy.txt) batch.txt) == "$(cat greedy.txt)" ]] || fail "tokens in fp32 by $by differ"
    done
    drawn=(--device cuda --prompt "A fox" --dtype fp16 --temperature 0.9 --seed 5 --repetition-penalty 1.3)
    gpt2 "${drawn[@]}" --token-by persistent --tokens-a-launch 5 >drawn.txt || fail "sampled tokens by launches"
    gpt2 "${drawn[@]}" --token-by persistent --tokens-a-launch 16 | cmp - drawn.txt || fail "sampled tokens differ"
    { for seed in 5 6 7; do echo "[seed $seed]" && gpt2 "${drawn[@]}" --seed $seed --token-by persistent; done } >drawn.txt
    gpt2 "${drawn[@]}" --token-by phases --batch 3 | cmp - drawn.txt || fail "sampled rows of phases differ"
    gpt2 "${drawn[@]}" --token-by persistent --batch 3 | cmp - drawn.txt || fail "sampled rows differ from single ones"
fi

# A row of a batch is what its seed alone gives.
sampled=(--prompt "In the" --temperature 1.5 --top-k 50 --top-p 0.95 --repetition-penalty 1.2)
gpt2 "${sampled[@]}" --seed 7 --batch 3 >batch.txt || fail "a batch"
for seed in 7 8 9; do echo "[seed $seed]" && gpt2 "${sampled[@]}" --seed $seed; done >single.txt
cmp batch.txt single.txt || fail "rows of a batch differ from single ones"
[[ $(sort -u <<<"$(gpt2 "${sampled[@]}" --seed 7; gpt2 "${sampled[@]}" --seed 8)" | wc -l) -gt 1 ]] || fail "seeds"

# A line for each token; texts are those of the ids, log-probabilities below 0.
gpt2 --prompt "A fox" --log-probabilities >tokens.txt || fail "--log-probabilities"
[[ $(grep -cE $'^[0-9]+\t-[0-9.]+\t".*"$' tokens.txt) -eq 24 ]] || fail "--log-probabilities: $(head -n 2 tokens.txt)"

# The first token that had not come before ends the text in its place.
stop=$(awk -F '\t' 'NR == 1 { first = $1 } $1 != first { print $1; exit }' tokens.txt)
cp -r tiny stopped
echo "{\"eos_token_id\": [$stop, 299]}" >stopped/generation_config.json
on_cpu --model stopped --quiet --tokens 24 --prompt "A fox" --log-probabilities >short.txt
lines=$(wc -l <short.txt)
[[ $lines -lt 24 && $(tail -n 1 short.txt | cut -f 1) == "$stop" ]] || fail "the stop token does not end the text"
head -n "$lines" tokens.txt | cmp - short.txt || fail "the text before the stop token differs"

gpt2 --prompt x --tokens 8 --replays 3 2>&1 >/dev/null | grep -q '^alone, median of 3: .* us a token (17 kernels)$' ||
    fail "--replays"
gpt2 --prompt "A fox ran" --tokens 8 --chunk 3 --prompt-replays 3 2>&1 >/dev/null |
    grep -q '^alone, median of 3: .* us a part of the prompt, 3 tokens$' || fail "--prompt-replays"
gpt2 --prompt "A fox" --chunk 1 | cmp - greedy.txt || fail "a prompt in parts gives another text"
on_cpu --model tiny --prompt x --tokens 4 2>said.txt >/dev/null
grep -q 'tokens/s' said.txt || fail "tokens per second"
# The path, of which a native build has one.
grep -Eq "^device: cpu, (${INLAY_HOST_ISA:-baseline|avx2|avx512})( with BF16)?$" said.txt ||
    fail "the device is '$(grep ^device said.txt)'"
said=$(INLAY_HOST_ISA=sse gpt2 --prompt x 2>&1) && fail "a path 'sse' is taken"
[[ $said == "inlay: INLAY_HOST_ISA is 'sse', of which this program has no code, expected "* ]] ||
    fail "of a path 'sse' it says '$said'"
gpt2 --explain >kernels.txt || fail "--explain"
grep -Eq "^Code of this build: (${INLAY_HOST_ISA:-baseline|avx2|avx512})" kernels.txt || fail "--explain names no path"
grep -q '^h.1.attn.c_attn: query_key_value' kernels.txt && grep -q '^lm_head: vocabulary' kernels.txt || fail "--explain lacks kernels"
gpt2 --explain --target sm_90a --dtype fp16 | grep sm_90a >/dev/null || fail "--explain --target"
gpt2 --explain --target sm_90a --dtype fp16 >kernels.txt
grep -q 'Critical path: embed, 2 x (qkv, attend, project, up, down), vocabulary: 12 instances' kernels.txt ||
    fail "--explain lacks the persistent program"
gpt2 --explain --target sm_90a --dtype fp16 --batch 8 >kernels.txt
grep -q '^decoder of 8 sequences: one persistent launch of 7 phases' kernels.txt || fail "--explain lacks the batch"
gpt2 --explain --target sm_90a --dtype fp16 --batch 9 | grep -q persistent && fail "--explain of a program of 9 texts"
gpt2 --explain --target sm_90a --dtype fp16 --batch 2 --temperature 1 --top-k 3 |
    grep '^decoder of 2 sequences: one persistent launch of 9 phases, 14 instances' >/dev/null ||
    fail "--explain lacks top-k of a batch"
gpt2 --explain --target sm_90a --dtype fp16 --temperature 1 >kernels.txt
grep -q 'down), vocabulary, weigh, choose: 14 instances' kernels.txt || fail "--explain lacks the choice of a token"
gpt2 --explain --target sm_90a --dtype fp16 --temperature 1 --token-by phases |
    grep '^decoder: a graph of 12 kernels a pass of 9 phases, 14 instances' >/dev/null || fail "--explain lacks the graph"
gpt2 --explain --target sm_90a --dtype fp32 --batch 4 |
    grep '^decoder in fp32 of 4 sequences: one persistent launch of 7 phases' >/dev/null || fail "--explain lacks fp32"
gpt2 --explain --target sm_90a --dtype fp32 --batch 5 | grep -q persistent && fail "--explain of 5 texts in fp32"

# Ctrl-C: what was written so far, then 130.
"$INLAY_GPT2" --device cpu --model tiny --quiet --prompt x --tokens 1000 --batch 200 --threads 1 >cut.txt &
sleep 0.5
kill -INT $!
wait $!
[[ $? -eq 130 && $(grep -c '^\[seed' cut.txt) -eq 200 ]] || fail "Ctrl-C"
gpt2 --prompt x >/dev/full 2>full.txt
[[ $? -eq 1 && $(cat full.txt) == *"cannot write to stdout"* ]] || fail "a full disk: $(cat full.txt)"

# refuse PATTERN ARGS...: exits non-zero with one line on stderr that matches, and prints nothing.
refuse() {
    local pattern=$1 said status
    shift
    said=$(on_cpu --quiet "$@" 2>&1 >out.txt)
    status=$?
    [[ $status -ne 0 && $status -lt 126 && $(wc -l <<<"$said") -eq 1 && ! -s out.txt ]] &&
        grep -qE "$pattern" <<<"$said" ||
        fail "($status): $* said '$said', expected /$pattern/"
}
broken() { rm -rf broken && cp -r tiny broken; }
run=(--prompt x --tokens 4)
refuse "model is missing" "${run[@]}"
refuse "^inlay: --model: there is no 'absent'$" --model absent "${run[@]}"
refuse "prompt is missing" --model tiny
refuse "prompt is empty" --model tiny --prompt ""
refuse "not valid UTF-8" --model tiny --prompt $'a\xff'
printf 'a\0b' >nul.txt
refuse "NUL behind 1 bytes" --model tiny --prompt - <nul.txt
refuse "prompt has [0-9]+ tokens, expected at most 1020" --model tiny --tokens 4 --prompt "$(seq 2000)"
refuse "^inlay: --tokens is 5000, expected at most 1023: the model has 1024 positions" --model tiny --prompt x --tokens 5000
refuse "tokens is 0" --model tiny --prompt x --tokens 0
refuse "tokens is 1e3" --model tiny --prompt x --tokens 1e3
refuse "temperature is -1" --model tiny "${run[@]}" --temperature -1
refuse "temperature is nan" --model tiny "${run[@]}" --temperature nan
refuse "top-k is -1" --model tiny "${run[@]}" --top-k -1
refuse "top-p is 1.1" --model tiny "${run[@]}" --top-p 1.1
refuse "repetition-penalty is 0" --model tiny "${run[@]}" --repetition-penalty 0
refuse "seed is x" --model tiny "${run[@]}" --seed x
refuse "seed is 18446744073709551615, which leaves" --model tiny "${run[@]}" --seed 18446744073709551615 --batch 2
refuse "batch is 0" --model tiny "${run[@]}" --batch 0
launches=(--model tiny "${run[@]}" --token-by persistent)
refuse "^inlay: --token-by is persistent on the CPU, expected --device cuda$" "${launches[@]}" --batch 4
refuse "^inlay: --batch is 5, expected at most 4 in fp32 with --token-by persistent$" "${launches[@]}" --batch 5
launches+=(--dtype fp16)
refuse "^inlay: --token-by is persistent on the CPU, expected --device cuda$" "${launches[@]}"
refuse "^inlay: --token-by is phases on the CPU, expected --device cuda$" "${launches[@]}" --token-by phases
refuse "batch is 9, expected at most 8 in fp16 with --token-by persistent$" "${launches[@]}" --batch 9
refuse "is persistent on the CPU" "${launches[@]}" --batch 8 --temperature 1 --top-k 3
refuse "is persistent on the CPU" "${launches[@]}" --temperature 0.5 --repetition-penalty 2 --top-k 3 --top-p 0.5
refuse "log-probabilities is given, expected not with" "${launches[@]}" --log-probabilities
refuse "token-by is 'kernel', expected graph, persistent or phases" --model tiny "${run[@]}" --token-by kernel
refuse "chunk is 0" --model tiny "${run[@]}" --chunk 0
refuse "tokens-a-launch is 0" "${launches[@]}" --tokens-a-launch 0
refuse "dtype.*fp64" --model tiny "${run[@]}" --dtype fp64
refuse "device is 'tpu'" --model tiny "${run[@]}" --device tpu
refuse "no CUDA|no device|no GPU" --model tiny "${run[@]}" --device cuda:77
refuse "target is host, expected with --explain" --model tiny "${run[@]}" --target host
refuse "sm_1" --model tiny --explain --target sm_1
refuse "exists already" --make-model tiny tiny
refuse "expected tiny, 124m or 355m" --make-model huge new
broken && rm broken/config.json
refuse "config.json" --model broken "${run[@]}"
broken && rm broken/vocab.json
refuse "vocab.json" --model broken "${run[@]}"
broken && sed -i 's/"<|endoftext|>":299/"<|endoftext|>":300/' broken/vocab.json
refuse "tokenizer has 301 tokens, the model embeds 300" --model broken "${run[@]}"
broken && truncate -s 1000 broken/model.safetensors
refuse "model.safetensors" --model broken "${run[@]}"
broken && sed -i 's/h.1.mlp.c_fc.bias/h.1.mlp.c_fc.bics/' broken/model.safetensors
refuse "h.1.mlp.c_fc.bias" --model broken "${run[@]}"
broken && sed -i 's/"gelu_new"/"relu"/' broken/config.json
refuse "activation_function.*relu.*gelu_new" --model broken "${run[@]}"
compgen -G '*.part*' >/dev/null && fail "a partial model is left"
echo "all passed"
