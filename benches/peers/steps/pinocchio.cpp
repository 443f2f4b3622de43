// A serial chain of hinges by Pinocchio's articulated bodies and the classical Runge-Kutta scheme.
//
// `pinocchio FILE STEP STEPS`. The file has: number of links; gravity; for every link its place in the link before
// (translation, rotation by rows), mass, centre of mass, moments of inertia about it by rows, first angle and rate. Joints
// turn about z. Every line of standard input runs the motion once and is answered by a line: the angles at the end.

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include <pinocchio/multibody.hpp>

#include <pinocchio/algorithm/aba.hpp>

using Vector = Eigen::VectorXd;

int main(int count, char **arguments) {
    if (count != 4) return 1;
    std::ifstream file(arguments[1]);
    auto next = [&] {
        double value;
        file >> value;
        return value;
    };
    auto vector = [&] {
        Eigen::Vector3d v;
        for (int i = 0; i < 3; i++) v[i] = next();
        return v;
    };
    auto matrix = [&] {
        Eigen::Matrix3d m;
        for (int i = 0; i < 9; i++) m(i / 3, i % 3) = next();
        return m;
    };
    int links = (int)next();
    pinocchio::Model model;
    model.gravity.linear() = vector();
    Vector q0(links), v0(links);
    for (int i = 0, parent = 0; i < links; i++) {
        Eigen::Vector3d place = vector();
        Eigen::Matrix3d rotation = matrix();
        parent = model.addJoint(parent, pinocchio::JointModelRZ(), pinocchio::SE3(rotation, place), "j" + std::to_string(i));
        double mass = next();
        Eigen::Vector3d center = vector();
        Eigen::Matrix3d inertia = matrix();
        model.appendBodyToJoint(parent, pinocchio::Inertia(mass, center, inertia), pinocchio::SE3::Identity());
        q0[i] = next();
        v0[i] = next();
    }
    if (!file) return 1;
    pinocchio::Data data(model);
    double h = atof(arguments[2]);
    long steps = atol(arguments[3]);
    Vector tau = Vector::Zero(links), q(links), v(links), q1(links), v1(links), dq(links), dv(links);
    for (int character; (character = getchar()) != EOF;) {
        if (character != '\n') continue;
        q = q0;
        v = v0;
        for (long k = 0; k < steps; k++) {
            // The sums of the stages, weighted.
            dv = pinocchio::aba(model, data, q, v, tau);
            dq = v;
            q1 = q + h / 2 * v;
            v1 = v + h / 2 * data.ddq;
            for (int stage = 1; stage < 4; stage++) {
                double weight = stage < 3 ? 2 : 1, next = stage < 2 ? h / 2 : h;
                pinocchio::aba(model, data, q1, v1, tau);
                dq += weight * v1;
                dv += weight * data.ddq;
                if (stage < 3) {
                    q1 = q + next * v1;
                    v1 = v + next * data.ddq;
                }
            }
            q += h / 6 * dq;
            v += h / 6 * dv;
        }
        for (int i = 0; i < links; i++) printf("%.17g ", q[i]);
        printf("\n");
        fflush(stdout);
    }
    return 0;
}
