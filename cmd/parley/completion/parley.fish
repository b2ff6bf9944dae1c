# Completion of parley for fish: parley completion fish | source
function __parley_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l program (string replace -r '^~' $HOME -- $words[1])
    set -l lines ($program complete fish -- $words[2..] 2>/dev/null)
    switch "$lines[1]"
        case values paths
            test (count $lines) -gt 1; and printf '%s\n' $lines[2..]
        case '*'
            __fish_complete_path (commandline -ct)
    end
end
complete -c parley -f -a '(__parley_complete)'
