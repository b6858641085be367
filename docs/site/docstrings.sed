# The namespace of the ABI is not a name that programs write.
s/namespace leat::inline LEAT_ABI/namespace leat/
# Several exceptions stand after one \throws, which Doxygen would take for the name of one.
s|^\( *///\) \\throws |\1 \\par Throws\n\1 |
