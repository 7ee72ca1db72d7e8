
# Completes the options of the script that a line runs.
function __fish_ns_script
    set -l line (commandline -opc)
    set -l reply ($line[1] complete-script -- $line[2..-1] (commandline -ct) 2>/dev/null)
    or return 1
    switch "$argv[1]"
        case candidates
            printf '%s\n' $reply[2..-1]
        case '*'
            test "$reply[1]" = "$argv[1]"
    end
end

complete -c ns -n "__fish_ns_script words" -f -a "(__fish_ns_script candidates)"
complete -c ns -n "__fish_ns_script files" -F -a "(__fish_ns_script candidates)"
