"""Models that several tests share."""

import pytest

import hamel

CART = """
/// A cart on a rail with a spring, and a motor.
model Cart {
    planar;
    coordinates joint;
    param mass = 2 kg;
    param stiffness = 8 N/m;
    input drive N;
    body cart { mass: mass, inertia: 1 kg m^2 }
    joint rail: prismatic(ground, cart);
    force motor: force(cart) { value: [drive, 0] }
    force spring: spring(ground, cart) { stiffness: stiffness }
    initial rail.displacement = 0.5 m;
    output x = cart.position;
}
"""


@pytest.fixture(scope="session")
def cart():
    """m a = drive − k x with m = 2 kg and k = 8 N/m: ω = 2 rad/s."""
    return hamel.Model.from_text(CART)


@pytest.fixture(scope="session")
def cart_text():
    return CART
