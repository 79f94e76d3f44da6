# SPDX-License-Identifier: Apache-2.0
# zsh_complete.zsh PROGRAM WORD...: the matches that zsh finds for the last word after PROGRAM's script was sourced, a
# line each. Completion runs on a terminal alone: an interactive zsh has one here, and Tab is pressed.
zmodload zsh/zpty
zpty z zsh -f -i
zpty -w z 'PS1= PS2=; stty -echo'
zpty -w z "source <(${(q)1} --completion zsh)"
# Matches on their way to the list. Calls with -O, -A or -D only ask which there would be.
zpty -w z 'compadd() { if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then builtin compadd "$@"; return; fi
    local -a hits; builtin compadd -A hits "$@"; print -rl -- $hits >>matches; builtin compadd "$@" }'
zpty -w z 'shown() { _main_complete; print end >>matches; exit }; zle -C shown complete-word shown'
rm -f matches
zpty -w z 'bindkey "^I" shown; print ready'
zpty -r z line '*ready*'
zpty -w -n z "${(j: :)${(q)@[2,-1]}}"$'\t'
for i in {1..300}; do
    [[ -f matches && $(tail -1 matches) == end ]] && { grep -vx 'end\|' matches; exit 0 }
    sleep 0.1
done
print -u2 'zsh completes nothing within 30 s'
exit 1
