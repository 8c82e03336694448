// Pinocchio: joint Jacobians once, then the placement and Jacobian of a frame at each contact. The legs come as text from
// the bench's script, as for KDL, because the wheel brings no headers for its URDF reader.
#if __has_include(<pinocchio/multibody.hpp>)
#include <pinocchio/multibody.hpp>
#else  // before version 4
#include <pinocchio/multibody/data.hpp>
#include <pinocchio/multibody/model.hpp>
#endif
#include <pinocchio/algorithm/jacobian.hpp>
#include <pinocchio/algorithm/frames.hpp>

#include "peer.hpp"

struct Peer {
  pinocchio::Model model;
  pinocchio::Data data;
  std::vector<Eigen::VectorXd> poses;
  std::vector<pinocchio::FrameIndex> contacts;
  std::vector<int> first;
  std::vector<pinocchio::Data::Matrix6x> jacobians;

  // As Pinocchio's URDF reader does it: aligned axes get their own joint types, the legs share one tree.
  Peer(const char* path, const Poses& given) {
    std::ifstream file(path);
    std::size_t joints;
    while (file >> joints) {
      pinocchio::JointIndex parent = 0;
      for (std::size_t i = 0; i < joints; ++i) {
        double n[9];
        for (double& value : n) file >> value;
        const Eigen::Matrix3d turn = (Eigen::AngleAxisd(n[5], Eigen::Vector3d::UnitZ()) * Eigen::AngleAxisd(n[4], Eigen::Vector3d::UnitY()) *
                                      Eigen::AngleAxisd(n[3], Eigen::Vector3d::UnitX())).toRotationMatrix();
        const pinocchio::SE3 origin(turn, Eigen::Vector3d(n[0], n[1], n[2]));
        const std::string name = given.names[model.njoints - 1];
        parent = model.addJoint(parent, joint(Eigen::Vector3d(n[6], n[7], n[8]).normalized()), origin, name);
        if (i == 0) first.push_back(model.joints[parent].idx_v());
      }
      const pinocchio::SE3 centre(Eigen::Matrix3d::Identity(), Eigen::Vector3d(0, 0, 0.05));
      contacts.push_back(model.addFrame(pinocchio::Frame("contact" + std::to_string(contacts.size()), parent, centre, pinocchio::OP_FRAME)));
    }
    data = pinocchio::Data(model);
    jacobians.assign(contacts.size(), pinocchio::Data::Matrix6x::Zero(6, model.nv));
    for (const auto& row : given.rows) poses.push_back(Eigen::Map<const Eigen::VectorXd>(row.data(), row.size()));
  }

  static pinocchio::JointModel joint(const Eigen::Vector3d& axis) {
    if (axis == Eigen::Vector3d::UnitX()) return pinocchio::JointModelRX();
    if (axis == Eigen::Vector3d::UnitY()) return pinocchio::JointModelRY();
    if (axis == Eigen::Vector3d::UnitZ()) return pinocchio::JointModelRZ();
    return pinocchio::JointModelRevoluteUnaligned(axis);
  }

  void update(std::size_t pose) {
    pinocchio::computeJointJacobians(model, data, poses[pose]);
    for (std::size_t leg = 0; leg < contacts.size(); ++leg) {
      pinocchio::updateFramePlacement(model, data, contacts[leg]);
      pinocchio::getFrameJacobian(model, data, contacts[leg], pinocchio::LOCAL_WORLD_ALIGNED, jacobians[leg]);
    }
  }

  double whole() const {
    double sum = 0;
    for (std::size_t leg = 0; leg < contacts.size(); ++leg)
      sum += jacobians[leg].sum() + data.oMf[contacts[leg]].translation().sum();
    return sum;
  }

  double sample() const {
    double sum = 0;
    for (std::size_t leg = 0; leg < contacts.size(); ++leg)
      sum += jacobians[leg](2, first[leg]) + data.oMf[contacts[leg]].translation().z();
    return sum;
  }
};

int main(int, char** argv) {
  const Poses poses(argv[2]);
  Peer peer(argv[1], poses);
  serve(peer, poses.rows.size());
}
