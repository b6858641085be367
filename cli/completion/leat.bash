# Completion of the program leat for bash: the program itself says which words may follow. File names follow where it says none.
_leat() {
  local program=${1//[\"\']/} current=${COMP_WORDS[COMP_CWORD]} before='' words
  program=${program/#\~/$HOME} program=${program/#'$HOME'/$HOME} # as the command line has it
  words=$("$program" complete "${COMP_WORDS[@]:1:COMP_CWORD-1}" 2>/dev/null) || return
  [[ $current != = ]] || current='' # --steal=
  [[ $current != *,* ]] || before=${current%,*},
  mapfile -t COMPREPLY < <(compgen -P "$before" -W "$words" -- "${current#"$before"}")
}
complete -o default -F _leat leat
