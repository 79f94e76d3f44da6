#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The documentation as a site: built without a warning, so that every link and anchor leads somewhere; with --open, each
# of its pages is opened in Chromium, as wide as a screen and as a phone, and says nothing on its console, and Doxygen
# makes pages of the headers.
set -uo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../../cmake/shell.sh"
cd "$root"

site() {
    NO_MKDOCS_2_WARNING=1 build/mkdocs/bin/mkdocs build --strict --config-file "${1:-mkdocs.yml}" 2>&1
}

# broken: links that lead nowhere are errors, which name them, in a copy of what the site is made of.
broken() {
    local copy=build/broken-site text
    rm -rf "$copy" && mkdir -p "$copy"
    cp -r docs ./*.md LICENSE mkdocs.yml "$copy"
    printf '\n[a file](frame.md)\n\n[a place](frames.md#linears)\n' >>"$copy/docs/tutorial.md"
    ! site "$copy/mkdocs.yml" >build/broken-site.log || return 1
    for text in "'frame.md'" "'frames.md#linears'"; do
        grep -F "$text" build/broken-site.log | grep "^WARNING" | grep "'tutorial.md'" || return 1
    done
    rm -rf "$copy"
}

# entry: the navigation of each page leads to Doxygen's pages of the headers.
entry() {
    local page to pages=0
    while read -r page; do
        to=$(grep -o 'href="[^"]*headers/index.html"' "build/site/$page" | head -1 | cut -d'"' -f2)
        [[ $(realpath -m "build/site/$(dirname "$page")/$to") == "$root/build/site/headers/index.html" ]] ||
            { echo "$page leads to '$to'"; return 1; }
        pages=$((pages + 1))
    done < <(cd build/site && find . -name '*.html' ! -name 404.html ! -path './headers/*' -printf '%P\n')
    echo "$pages pages"
    ((pages > 30))
}

# quiet_page WIDTH FILE: false with what the page says on its console, or when it has no heading.
quiet_page() {
    local log dom
    log=$(mktemp)
    dom=$(timeout 60 chromium --headless --no-sandbox --disable-gpu --enable-logging=stderr --window-size="$1,900" \
        --virtual-time-budget=4000 --dump-dom "http://127.0.0.1:$port/$2" 2>"$log")
    if grep 'CONSOLE' "$log"; then dom=''; fi
    rm -f "$log"
    grep -q '<h1' <<<"$dom"
}

# reference: a page for each header that a program includes, below the one that the navigation leads to.
reference() {
    rm -rf build/site/headers
    doxygen docs/site/Doxyfile || return 1
    local pages headers
    pages=$(find build/site/headers -name '*_8hpp.html' | wc -l)
    headers=$(find include/inlay -name '*.hpp' ! -path '*/tile/*' ! -path '*/plan/*' | wc -l)
    echo "$pages pages of $headers headers"
    ((pages == headers)) && [[ -e build/site/headers/index.html ]] &&
        [[ -e build/site/headers/structinlay_1_1node_1_1Slice.html ]]
}

open_pages() {
    local page width server
    python3 -m http.server --bind 127.0.0.1 --directory build/site 0 >build/site.log 2>&1 &
    server=$!
    for _ in {1..50}; do
        port=$(sed -n 's/.* port \([0-9]*\) .*/\1/p' build/site.log)
        [[ -z $port ]] || break
        sleep 0.1
    done
    (cd build/site && find . -name '*.html' ! -name 404.html ! -path './headers/*' -printf '%P\n' | sort) |
        while read -r page; do
            for width in 1280 400; do check "site $page opens, $width wide" quiet_page $width "$page"; done
        done
    kill $server
}

if ! pip_environment mkdocs mkdocs-material; then
    skipped site 'MkDocs cannot be had from PyPI'
    exit
fi
check 'site is built without a warning' site
check 'site: each page leads to the headers' entry
check 'site: links to a missing page and a missing heading are found' broken
[[ ${1-} == --open ]] || exit 0
if install_packages doxygen=doxygen; then check 'site: the reference of the headers' reference
else skipped 'site: the reference of the headers' 'there is no Doxygen'; fi
if install_packages chromium=chromium; then open_pages; else skipped 'pages of the site' 'there is no Chromium'; fi
