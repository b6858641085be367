# Two shared libraries in one program, each of which uses leat: which of them share a default runtime, in all ways in which leat may have
# got into them (docs/guide/packaging.md has the table). check.sh reads this; it has work, cxx, libdir, here and flags_of.

step "two libraries that use leat, in programs with and without it"
flags_of static --cflags leat
hidden=(-std=c++20 -O0 -fvisibility=hidden -fvisibility-inlines-hidden "${flags[@]}")
flags_of static --libs leat
archive=("${flags[@]}")
flags_of shared --libs leat
dynamic=("${flags[@]}" "-Wl,-rpath,$work/shared/$libdir")
for library in first second; do
  "$cxx" "${hidden[@]}" -fPIC -DLIBRARY=$library -c "$here/library.cpp" -o "$work/$library.o"
  "$cxx" -shared "$work/$library.o" -o "$work/$library.shared.so" "${dynamic[@]}"
  "$cxx" -shared "$work/$library.o" -o "$work/$library.static.so" "${archive[@]}"
  "$cxx" -shared "$work/$library.o" -o "$work/$library.secret.so" "${archive[@]}" -Wl,--exclude-libs,ALL
done
"$cxx" -std=c++20 -O0 "$here/libraries.cpp" -o "$work/without" -ldl
"$cxx" "${hidden[@]}" -DWITH_LEAT -c "$here/libraries.cpp" -o "$work/with.o"
"$cxx" "$work/with.o" -o "$work/with_shared" "${dynamic[@]}" -ldl
"$cxx" "$work/with.o" -o "$work/with_static" "${archive[@]}" -ldl
"$cxx" -rdynamic "$work/with.o" -o "$work/with_exported" "${archive[@]}" -ldl
together() { # PROGRAM, HOW THE FIRST LIBRARY HAS LEAT, HOW THE SECOND HAS IT, DIGITS
  LEAT_NUM_WORKERS=3 timeout 120 "$work/$1" "$4" "$work/first.$2.so" "$work/second.$3.so" || fail "libraries: $1, $2, $3"
}
together without shared shared 00
together without static static 01
together without shared static 01
together without secret secret 01
together with_shared shared shared 000
together with_shared static static 000
together with_shared shared secret 010
together with_shared secret secret 012
together with_static shared shared 002
together with_static static static 012
together with_static shared static 012
together with_exported shared static 000
together with_exported shared secret 010
! nm -CD "$work/first.static.so" | grep -E ' u .*(self|own)_word' || fail "two plugins with a static leat each share words of a thread"
