
# Completes the options of the script that a line runs; everything else is for `_ns_declared`.
_ns() {
    local reply line
    local -a lines found
    if ! reply=$("${(Q)words[1]}" complete-script -- "${(@Q)words[2,CURRENT]}" 2>/dev/null); then
        _ns_declared "$@"
        return
    fi
    lines=("${(@f)reply}")
    for line in "${(@)lines[2,-1]}"; do
        found+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
    done
    local ret=1
    (( $#found )) && _describe -o option found && ret=0
    [[ $lines[1] == files ]] && _files && ret=0
    return ret
}
