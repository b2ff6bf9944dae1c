# Completion of parley for bash: source <(parley completion bash)
_parley() {
	local program=${COMP_WORDS[0]/#\~\//$HOME/} kind value rest
	COMPREPLY=()
	while IFS=$'\t' read -r value rest; do
		if [ -z "$kind" ]; then
			kind=$value
		else
			COMPREPLY+=("$value")
		fi
	done < <("$program" complete bash -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
	# bash 3.2 has no compopt: there a path is completed unquoted.
	type compopt >/dev/null 2>&1 || return 0
	case $kind in
	values) compopt +o default ;;
	paths) compopt -o filenames ;;
	esac
}
complete -o default -F _parley parley
