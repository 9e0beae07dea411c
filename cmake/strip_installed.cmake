# An installed library has no symbols but those that the loader needs; the others lie beside it, NAME.debug, where gdb looks for them (and
# share/weir/gdb.py finds the members of teams).
# weir_strip_installed(TARGET COMPONENT)
function(weir_strip_installed target component)
  if(NOT CMAKE_OBJCOPY OR NOT CMAKE_STRIP OR WEIR_SANITIZE)
    return()
  endif()
  string(CONFIGURE [=[
    if(IS_ABSOLUTE "@CMAKE_INSTALL_LIBDIR@")
      set(folder "@CMAKE_INSTALL_LIBDIR@")
    else()
      set(folder "${CMAKE_INSTALL_PREFIX}/@CMAKE_INSTALL_LIBDIR@")
    endif()
    set(library "${folder}/$<TARGET_FILE_NAME:@target@>")
    set(installed "$ENV{DESTDIR}${library}")
    foreach(command
        "@CMAKE_OBJCOPY@;--only-keep-debug;$<TARGET_FILE:@target@>;${installed}.debug"
        "@CMAKE_STRIP@;--strip-unneeded;${installed}"
        "@CMAKE_OBJCOPY@;--remove-section=.gnu_debuglink;--add-gnu-debuglink=${installed}.debug;${installed}")
      execute_process(COMMAND ${command} COMMAND_ERROR_IS_FATAL ANY)
    endforeach()
    list(APPEND CMAKE_INSTALL_MANIFEST_FILES "${library}.debug")
  ]=] code @ONLY)
  install(CODE "${code}" COMPONENT ${component})
endfunction()
