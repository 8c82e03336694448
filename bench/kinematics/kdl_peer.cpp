// KDL: forward position and Jacobian solver of each leg. The legs come as text from the bench's script, which reads the
// same URDF, because KDL's own URDF reader is a package of ROS: per leg its number of joints, then x y z, roll pitch
// yaw and the axis of each.
#include <kdl/chain.hpp>
#include <kdl/chainfksolverpos_recursive.hpp>
#include <kdl/chainjnttojacsolver.hpp>
#include <memory>

#include "peer.hpp"

struct Leg {
  KDL::Chain chain;
  std::unique_ptr<KDL::ChainFkSolverPos_recursive> position;
  std::unique_ptr<KDL::ChainJntToJacSolver> solver;
  KDL::Jacobian jacobian;
  KDL::Frame contact;
  std::vector<KDL::JntArray> poses;
};

struct Peer {
  std::vector<std::unique_ptr<Leg>> legs;

  Peer(const char* path, const Poses& given) {
    std::ifstream file(path);
    std::size_t joints, from = 0;
    while (file >> joints) {
      auto leg = std::make_unique<Leg>();
      // A KDL segment is a joint followed by a fixed frame; ours are frames followed by joints.
      KDL::Frame next;
      KDL::Joint joint(KDL::Joint::None);
      for (std::size_t i = 0; i < joints; ++i) {
        double n[9];
        for (double& value : n) file >> value;
        const KDL::Frame origin(KDL::Rotation::RPY(n[3], n[4], n[5]), KDL::Vector(n[0], n[1], n[2]));
        leg->chain.addSegment(KDL::Segment(joint, origin));
        joint = KDL::Joint(KDL::Vector::Zero(), KDL::Vector(n[6], n[7], n[8]), KDL::Joint::RotAxis);
      }
      leg->chain.addSegment(KDL::Segment(joint, KDL::Frame(KDL::Vector(0, 0, 0.05))));
      leg->position = std::make_unique<KDL::ChainFkSolverPos_recursive>(leg->chain);
      leg->solver = std::make_unique<KDL::ChainJntToJacSolver>(leg->chain);
      leg->jacobian.resize(joints);
      for (const auto& row : given.rows) {
        KDL::JntArray q(joints);
        for (std::size_t i = 0; i < joints; ++i) q(i) = row[from + i];
        leg->poses.push_back(q);
      }
      from += joints;
      legs.push_back(std::move(leg));
    }
  }

  void update(std::size_t pose) {
    for (auto& leg : legs) {
      leg->position->JntToCart(leg->poses[pose], leg->contact);
      leg->solver->JntToJac(leg->poses[pose], leg->jacobian);
    }
  }

  double whole() const {
    double sum = 0;
    for (const auto& leg : legs) sum += leg->jacobian.data.sum() + leg->contact.p.x() + leg->contact.p.y() + leg->contact.p.z();
    return sum;
  }

  double sample() const {
    double sum = 0;
    for (const auto& leg : legs) sum += leg->jacobian.data(2, 0) + leg->contact.p.z();
    return sum;
  }
};

int main(int, char** argv) {
  const Poses poses(argv[2]);
  Peer peer(argv[1], poses);
  serve(peer, poses.rows.size());
}
