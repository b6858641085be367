// One in a process: what a program, its plugins and a shared libleat must not each have for themselves.
#pragma once

// Marks a type, or a word, that is to be one in the process also where a program is compiled with -fvisibility=hidden. Headers
// define it in the program as well as in the library, and only symbols of default visibility are found to be the same. It belongs
// on each type that platform::native::own is given, as a word is as visible as its type, and on exceptions.
#define LEAT_SHARED [[gnu::visibility("default")]]
