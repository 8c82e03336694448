# rust_executables(NAME…): installs executables of the workspace where `ros2 run` and `ros2 launch` look for them.
# Package node_lib has compiled them all at once by then; with rust_executables_optional set to OPTIONAL, some may have been left out.
function(rust_executables)
  if(DEFINED ENV{CARGO_TARGET_DIR})
    set(target $ENV{CARGO_TARGET_DIR})
  else()
    get_filename_component(target ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../../target ABSOLUTE)
  endif()
  foreach(name ${ARGN})
    install(PROGRAMS ${target}/release/${name} DESTINATION lib/${PROJECT_NAME} ${rust_executables_optional})
  endforeach()
endfunction()
