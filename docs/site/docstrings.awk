# What Doxygen reads in place of a header. Each header of include/leat is a group of its name, which a page of docs/api shows.

FNR == 1 {
  public = FILENAME ~ /include\/leat\/[^\/]*$/
  group = FILENAME
  sub(/^.*\//, "", group)
  sub(/\.hpp$/, "", group)
}

# The namespace of the ABI is not a name that programs write.
public && /^namespace leat::inline LEAT_ABI \{/ {
  print "namespace leat {\n/** \\addtogroup header_" group "\n@{ */"
  next
}
public && /^}  \/\/ namespace leat::inline LEAT_ABI$/ {
  print "/** @} */\n}"
  next
}
{ sub(/^namespace leat::inline LEAT_ABI::/, "namespace leat::") }

# A name that is taken over from within leat: Doxygen knows docstrings of aliases alone.
public && /^using [a-z]+::[a-z_]+;/ {
  name = $2
  sub(/^.*::/, "", name)
  sub(/;$/, "", name)
  if (!(group == "channel" && name == "wait")) $0 = "using " name " = " $2  # future.hpp has it
}

# What the header has for itself in such a namespace. The lines stay, empty, so that warnings have the right number.
public && /^namespace [a-z]+ \{/ { inside = 1 }
public && /^}  \/\/ namespace [a-z]+$/ {
  inside = 0
  $0 = ""
}
inside { $0 = "" }

# Several exceptions stand after one \throws, which Doxygen would take for the name of one.
match($0, /^ *\/\/\/ \\throws /) {
  margin = substr($0, 1, RLENGTH - 8)
  $0 = margin "\\par Throws\n" margin substr($0, RLENGTH)
}
match($0, /^ *\/\/\/ Paper: /) {
  margin = substr($0, 1, RLENGTH - 7)
  $0 = margin "\\par Paper\n" margin substr($0, RLENGTH)
}
{ gsub(/\\throws /, "Throws ") }

{ print }
