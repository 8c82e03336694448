# The robot on ROS 2 Jazzy: compiled in one image, started in a smaller one.
#
#   docker build -t gaitway .
#   docker run --rm -it --network host gaitway                                     # a pony walks on a floor, with weight
#   docker run --rm -it --network host --device /dev/ttyUSB0 gaitway ros2 launch gait_bringup pony.launch.xml port:=/dev/ttyUSB0
FROM ros:jazzy-ros-base AS build
SHELL ["/bin/bash", "-euo", "pipefail", "-c"]
RUN apt-get update && apt-get install -y --no-install-recommends build-essential curl nodejs npm python3-pip && rm -rf /var/lib/apt/lists/*
# Ubuntu packs an older Rust than this needs (rust-version in Cargo.toml; 1.95 for the physics).
ENV RUSTUP_HOME=/opt/rustup CARGO_HOME=/opt/cargo PATH=/opt/cargo/bin:$PATH
RUN curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh -s -- -y --profile minimal --default-toolchain 1.95.0
WORKDIR /ws
# What rosdep reads, before the rest: dependencies are installed anew only when a manifest changes.
COPY agregator_node/package.xml src/gaitway/agregator_node/
COPY dynamics_node/package.xml src/gaitway/dynamics_node/
COPY filter_node/package.xml src/gaitway/filter_node/
COPY gait_node/package.xml src/gaitway/gait_node/
COPY herkulex_node/package.xml src/gaitway/herkulex_node/
COPY launch/package.xml src/gaitway/launch/
COPY msg/package.xml src/gaitway/msg/
COPY node_lib/package.xml src/gaitway/node_lib/
COPY odometry_node/package.xml src/gaitway/odometry_node/
COPY page_node/package.xml src/gaitway/page_node/
COPY pipeline_node/package.xml src/gaitway/pipeline_node/
COPY servo_inv_node/package.xml src/gaitway/servo_inv_node/
COPY sim_node/package.xml src/gaitway/sim_node/
# The manifests alone, for the other image.
RUN cp -r src manifests
RUN apt-get update && rosdep update --rosdistro jazzy && rosdep install --from-paths src --ignore-src -y --rosdistro jazzy \
        --dependency-types=build --dependency-types=buildtool --dependency-types=build_export --skip-keys rviz2 && \
    rm -rf /var/lib/apt/lists/*
COPY tools/requirements.txt src/gaitway/tools/
# The physics of sim_node: the library of the wheel, under the names that linker and loader look for.
RUN pin=$(grep '^mujoco==' src/gaitway/tools/requirements.txt) && pip install --no-deps --no-compile --target /tmp/mujoco "$pin" && \
    mkdir /opt/mujoco && cp /tmp/mujoco/mujoco/libmujoco.so.* /opt/mujoco/ && \
    ln -s "$(cd /opt/mujoco && echo libmujoco.so.*)" /opt/mujoco/libmujoco.so && rm -rf /tmp/mujoco
ENV MUJOCO_DYNAMIC_LINK_DIR=/opt/mujoco LD_LIBRARY_PATH=/opt/mujoco
COPY . src/gaitway
RUN . /opt/ros/jazzy/setup.bash && colcon build --event-handlers console_direct+

FROM ros:jazzy-ros-base
SHELL ["/bin/bash", "-euo", "pipefail", "-c"]
WORKDIR /ws
COPY --from=build /ws/manifests manifests
# RViz is for a desk, not for a robot: rviz:=true says so and goes on.
RUN apt-get update && rosdep update --rosdistro jazzy && \
    rosdep install --from-paths manifests --ignore-src -y --rosdistro jazzy --dependency-types=exec --skip-keys rviz2 && \
    rm -rf /var/lib/apt/lists/*
COPY --from=build /opt/mujoco /opt/mujoco
COPY --from=build /ws/install install
ENV LD_LIBRARY_PATH=/opt/mujoco ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST
RUN printf '#!/bin/bash\nset -e\n. /opt/ros/jazzy/setup.bash\n. /ws/install/setup.bash\nexec "$@"\n' >/entrypoint && chmod +x /entrypoint
ENTRYPOINT ["/entrypoint"]
CMD ["ros2", "launch", "gait_bringup", "pony.launch.xml", "sim:=true"]
