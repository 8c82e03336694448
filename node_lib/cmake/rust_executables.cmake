# rust_executables(NAME…): compiles the Rust workspace, which takes no time when it is current, and installs executables of it where `ros2 run` and
# `ros2 launch` look for them. Every package does so: whoever builds one alone gets it as it is now. With rust_executables_optional set to
# OPTIONAL, some may have been left out.
function(rust_executables)
  get_filename_component(root ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../.. ABSOLUTE)
  if(DEFINED ENV{CARGO_TARGET_DIR})
    set(target $ENV{CARGO_TARGET_DIR})
  else()
    set(target ${root}/target)
  endif()
  add_custom_target(rust_${PROJECT_NAME} ALL COMMAND ${root}/tools/cargo_release USES_TERMINAL)
  foreach(name ${ARGN})
    install(PROGRAMS ${target}/release/${name} DESTINATION lib/${PROJECT_NAME} ${rust_executables_optional})
  endforeach()
  if(BUILD_TESTING)
    # The core needs no ROS; the system tests of the package are those of its folder in test/.
    add_test(NAME core COMMAND ${root}/tools/core_tests -p ${PROJECT_NAME})
    string(REGEX REPLACE "_node$" "" folder ${PROJECT_NAME})
    if(IS_DIRECTORY ${root}/test/${folder})
      add_test(NAME examples COMMAND ${root}/tools/cargo_release --examples)
      add_test(NAME system COMMAND python3 -m pytest --quiet -p no:cacheprovider ${folder} WORKING_DIRECTORY ${root}/test)
      # Some of them start examples.
      set_tests_properties(examples PROPERTIES FIXTURES_SETUP examples)
      set_tests_properties(system PROPERTIES FIXTURES_REQUIRED examples ENVIRONMENT GAITWAY_BIN_DIR=${target}/release)
      set_tests_properties(core examples system PROPERTIES TIMEOUT 3600)
    endif()
  endif()
endfunction()
