# Completion of the program leat for bash: the program itself says which words may follow. File names follow where it says none.
_leat() {
  local words
  words=$("$1" complete "${COMP_WORDS[@]:1:COMP_CWORD-1}" 2>/dev/null) || return
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "${COMP_WORDS[COMP_CWORD]}")
}
complete -o default -F _leat leat
