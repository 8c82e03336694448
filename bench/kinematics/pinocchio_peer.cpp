// Pinocchio: joint Jacobians once, then the placement and Jacobian of a frame at each contact.
#include <pinocchio/multibody/model.hpp>
#include <pinocchio/multibody/data.hpp>
#include <pinocchio/parsers/urdf.hpp>
#include <pinocchio/algorithm/joint-configuration.hpp>
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

  Peer(const char* urdf, const Poses& given) {
    pinocchio::urdf::buildModel(urdf, model);
    for (int leg = 1; model.existBodyName("leg" + std::to_string(leg) + "_hoof"); ++leg) {
      const auto& hoof = model.frames[model.getBodyId("leg" + std::to_string(leg) + "_hoof")];
      const pinocchio::SE3 centre(Eigen::Matrix3d::Identity(), Eigen::Vector3d(0, 0, 0.05));
      const pinocchio::Frame frame("contact" + std::to_string(leg), hoof.parentJoint, hoof.placement * centre, pinocchio::OP_FRAME);
      contacts.push_back(model.addFrame(frame));
      first.push_back(model.joints[model.supports[hoof.parentJoint][1]].idx_v());
    }
    data = pinocchio::Data(model);
    jacobians.assign(contacts.size(), pinocchio::Data::Matrix6x::Zero(6, model.nv));
    for (const auto& row : given.rows) {
      Eigen::VectorXd q = pinocchio::neutral(model);
      for (std::size_t i = 0; i < row.size(); ++i) q[model.joints[model.getJointId(given.names[i])].idx_q()] = row[i];
      poses.push_back(q);
    }
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
