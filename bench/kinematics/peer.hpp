// What the C++ peers share: poses, commands, time. See robot_model_lib/peers/bench_kinematics.rs.
#pragma once
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

struct Poses {
  std::vector<std::string> names;
  std::vector<std::vector<double>> rows;

  explicit Poses(const char* path) {
    std::ifstream file(path);
    std::string line, name;
    std::getline(file, line);
    for (std::istringstream words(line); words >> name;) names.push_back(name);
    while (std::getline(file, line)) {
      std::istringstream numbers(line);
      std::vector<double> row(names.size());
      for (double& value : row) numbers >> value;
      rows.push_back(row);
    }
  }
};

// Peer: update(pose number), whole() and sample() over all legs.
template <typename Peer>
void serve(Peer& peer, std::size_t poses) {
  std::string command;
  while (std::cin >> command) {
    double sum = 0;
    long count = 0;
    auto start = std::chrono::steady_clock::now();
    if (command == "run") {
      std::cin >> count;
      start = std::chrono::steady_clock::now();
      for (long i = 0, pose = 0; i < count; ++i) {
        peer.update(pose);
        sum += peer.sample();
        if (++pose == static_cast<long>(poses)) pose = 0;
      }
    } else {
      for (std::size_t pose = 0; pose < poses; ++pose) {
        peer.update(pose);
        sum += peer.whole();
      }
    }
    auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - start).count();
    std::printf("%ld %.17e\n", command == "run" ? static_cast<long>(ns) : 0L, sum);
    std::fflush(stdout);
  }
}
