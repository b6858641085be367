# An option that is ON where what it needs is found, until the builder says ON or OFF. Its entry in the cache stays AUTO, not what
# was found once, so that what is installed later is seen at the next configuration. FOUND is the name of a variable.
macro(leat_auto_option name text found)
  set(${name} AUTO CACHE STRING "${text}: ON, OFF, or AUTO, which is ON where what it needs is found")
  set_property(CACHE ${name} PROPERTY STRINGS AUTO ON OFF)
  if(${name} STREQUAL "AUTO")
    set(${name} OFF)
    if(${found})
      set(${name} ON)
    endif()
  endif()
endmacro()
