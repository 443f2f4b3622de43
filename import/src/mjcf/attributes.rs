//! Attributes that MJCF has, by the schema of MuJoCo 4.0 and the reference of versions before.

/// Those of all actuators: what one of them does not have says something about another.
const ACTUATOR: &str = "actdim actearly actlimited actrange area armature bias biasprm biastype body class cogging \
    controller cranklength cranksite ctrllimited ctrlrange damping dampratio delay diameter dynprm \
    dyntype ffrange force forcelimited forcerange fpmax fvmax gain gainprm gaintype gear group imax \
    inductance inheritrange input interp joint jointinparent ki kp kv lengthrange lmax lmin lugre \
    motorconst name nominal nsample posrange range refsite resistance saturation scale site slewmax \
    slidersite tausmooth tendon thermal timeconst user velrange vmax";

/// Of what is read, and of what is refused or ignored by name.
pub(super) const KNOWN: [(&str, &str); 30] = [
    ("mujoco", "model"),
    (
        "compiler",
        "alignfree angle assetdir autolimits balanceinertia boundinertia boundmass conflict convexhull \
         coordinate discardvisual eulerseq exactmeshinertia fitaabb fusestatic inertiafromgeom \
         inertiagrouprange meshdir passthrough savecanonical savecompiled saveinertial settotalmass strippath \
         texturedir usethread",
    ),
    (
        "option",
        "actuatorgroupdisable apirate ccd_iterations ccd_tolerance collision cone density gravity impratio \
         integrator iterations jacobian ls_iterations ls_tolerance magnetic mpr_iterations mpr_tolerance \
         noslip_iterations noslip_tolerance o_friction o_margin o_solimp o_solref sdf_initpoints \
         sdf_iterations sleep_tolerance solver timestep tolerance viscosity wind",
    ),
    (
        "flag",
        "actuation autoreset clampctrl constraint contact damper diagexact energy equality eulerdamp \
         filterparent frictionloss fwdinv gravity invdiscrete ipc island limit midphase multiccd nativeccd \
         override passive refsafe sensor sensornoise sleep speculative spring warmstart",
    ),
    ("default", "class"),
    ("worldbody", "axisangle childclass euler fuse gravcomp mocap name pos quat simple sleep user xyaxes zaxis"),
    ("body", "axisangle childclass class euler fuse gravcomp mocap name pos quat simple sleep user xyaxes zaxis"),
    ("frame", "axisangle childclass euler name pos quat xyaxes zaxis"),
    ("replicate", "childclass count euler offset sep"),
    ("inertial", "axisangle diaginertia euler fullinertia mass pos quat xyaxes zaxis"),
    (
        "joint",
        "active actuatorfrclimited actuatorfrcrange actuatorgravcomp armature axis class damping frictionloss \
         group joint1 joint2 limited margin name polycoef pos range ref solimp solimpfriction solimplimit \
         solref solreffriction solreflimit springdamper springref springyield stiffness type user",
    ),
    ("freejoint", "align class group name"),
    (
        "geom",
        "adhesion axisangle castshadow class conaffinity condim contype density euler fitscale fluidcoef \
         fluidshape friction fromto gap group hfield margin mass material mesh name pos priority quat rgba \
         shellinertia size solimp solmix solref surfacevel type user xyaxes zaxis",
    ),
    ("site", "axisangle class euler fromto group material mesh name pos quat rgba size type user xyaxes zaxis"),
    ("equality", "active solimp solref"),
    ("connect", "active anchor body1 body2 class name site1 site2 solimp solref"),
    ("weld", "active anchor body1 body2 class name relpose site1 site2 solimp solref torquescale"),
    ("actuator", ""),
    ("general", ACTUATOR),
    ("motor", ACTUATOR),
    ("position", ACTUATOR),
    ("velocity", ACTUATOR),
    ("intvelocity", ACTUATOR),
    ("damper", ACTUATOR),
    ("cylinder", ACTUATOR),
    ("muscle", ACTUATOR),
    ("adhesion", ACTUATOR),
    ("pid", ACTUATOR),
    ("orientation", ACTUATOR),
    ("dcmotor", ACTUATOR),
];
