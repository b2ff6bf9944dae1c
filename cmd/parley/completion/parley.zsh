#compdef parley
# Completion of parley for zsh: source <(parley completion zsh), behind compinit
_parley() {
	local -a lines values
	local line
	lines=("${(@f)$("${words[1]/#\~\//$HOME/}" complete zsh -- "${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
	case $lines[1] in
	values)
		for line in "${(@)lines[2,-1]}"; do
			values+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
		done
		(($#values)) && _describe parley values
		;;
	paths) compadd -f -S '' -- "${(@)lines[2,-1]%%$'\t'*}" ;;
	*)
		compset -P '--*='
		_files
		;;
	esac
}
if [ "$funcstack[1]" = _parley ]; then
	_parley "$@"
else
	compdef _parley parley
fi
