
# Completes the options of the script that a line runs; everything else is for `_ns`.
_ns_script() {
    local reply line
    if ! reply=$("${COMP_WORDS[0]}" complete-script --line "${COMP_LINE:0:COMP_POINT}" 2>/dev/null); then
        _ns "$@"
        return
    fi
    COMPREPLY=()
    local current="${COMP_WORDS[COMP_CWORD]}"
    while IFS= read -r line; do
        case "$line" in
            words) ;;
            # Without candidates, bash completes file names itself, with their quotes.
            files) [[ -n "$current" ]] || while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f) ;;
            *) COMPREPLY+=("${line%%$'\t'*}") ;;
        esac
    done <<< "$reply"
}

complete -F _ns_script -o filenames -o bashdefault -o default ns
