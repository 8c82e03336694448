// Pinocchio: rnea of the legs on a free flyer. Legs come as text as for pinocchio_peer.cpp; a third file gives the bodies, the
// base first: mass, centre, and xx xy xz yy yz zz of the inertia about the centre.
#if __has_include(<pinocchio/multibody.hpp>)
#include <pinocchio/multibody.hpp>
#else  // before version 4
#include <pinocchio/multibody/data.hpp>
#include <pinocchio/multibody/model.hpp>
#endif
#include <pinocchio/algorithm/rnea.hpp>

#include "peer.hpp"

struct Peer {
  pinocchio::Model model;
  pinocchio::Data data;
  std::vector<Eigen::VectorXd> positions, rates;

  Peer(const char* path, const Poses& given, const char* bodies_path) {
    std::ifstream file(path), bodies(bodies_path);
    const pinocchio::JointIndex base = model.addJoint(0, pinocchio::JointModelFreeFlyer(), pinocchio::SE3::Identity(), "base");
    model.appendBodyToJoint(base, body(bodies));
    std::size_t joints;
    while (file >> joints) {
      pinocchio::JointIndex parent = base;
      for (std::size_t i = 0; i < joints; ++i) {
        double n[9];
        for (double& value : n) file >> value;
        const Eigen::Matrix3d turn = (Eigen::AngleAxisd(n[5], Eigen::Vector3d::UnitZ()) * Eigen::AngleAxisd(n[4], Eigen::Vector3d::UnitY()) *
                                      Eigen::AngleAxisd(n[3], Eigen::Vector3d::UnitX())).toRotationMatrix();
        const pinocchio::SE3 origin(turn, Eigen::Vector3d(n[0], n[1], n[2]));
        const pinocchio::JointModelRevoluteUnaligned joint(Eigen::Vector3d(n[6], n[7], n[8]).normalized());
        parent = model.addJoint(parent, joint, origin, given.names[model.njoints - 2]);
        model.appendBodyToJoint(parent, body(bodies));
      }
    }
    data = pinocchio::Data(model);
    for (const auto& row : given.rows) {
      Eigen::VectorXd q = Eigen::VectorXd::Zero(model.nq), v = Eigen::VectorXd::Zero(model.nv);
      q[6] = 1;
      q.tail(row.size()) = v.tail(row.size()) = Eigen::Map<const Eigen::VectorXd>(row.data(), row.size());
      positions.push_back(q);
      rates.push_back(v);
    }
  }

  static pinocchio::Inertia body(std::ifstream& file) {
    double n[10];
    for (double& value : n) file >> value;
    Eigen::Matrix3d inertia;
    inertia << n[4], n[5], n[6], n[5], n[7], n[8], n[6], n[8], n[9];
    return pinocchio::Inertia(n[0], Eigen::Vector3d(n[1], n[2], n[3]), inertia);
  }

  void update(std::size_t pose) {
    const std::size_t count = rates.size();
    pinocchio::rnea(model, data, positions[pose], rates[(pose + 1) % count], rates[(pose + 2) % count]);
  }

  double whole() const { return data.tau.sum(); }

  double sample() const { return data.tau[6] + data.tau[3]; }
};

int main(int, char** argv) {
  const Poses poses(argv[2]);
  Peer peer(argv[1], poses, argv[3]);
  serve(peer, poses.rows.size());
}
