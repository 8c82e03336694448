//! Bad parameters are refused by name, good ones replace the old without loss of state.
#![allow(clippy::unwrap_used, missing_docs)]

use filters_lib::*;

fn culprit<T>(result: Result<T>) -> &'static str {
    match result.err().unwrap() {
        Error::OutOfBounds { name, .. } | Error::Empty { name } => name,
        Error::Order { low_name, .. } => low_name,
        other => unreachable!("{other}"),
    }
}

#[test]
fn periods_and_time_constants_must_be_above_zero() {
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert_eq!(
            culprit(Integrator::new(IntegratorParams { period: bad, ..Default::default() }, &0.0)),
            "period"
        );
        assert_eq!(culprit(Integrator::<f64>::step(bad, &0.0, &0.0)), "period");
        let method = DiffMethod::Inertial { tau: bad };
        assert_eq!(culprit(Differentiator::new(DifferentiatorParams { period: 0.1, method }, &0.0)), "tau");
        assert_eq!(
            culprit(Fusion::<f64>::new(FusionParams {
                period: bad,
                method: FusionMethod::Linear { tau: 1.0 }
            })),
            "period"
        );
        assert_eq!(
            culprit(Fusion::<f64>::new(FusionParams { period: 0.1, method: FusionMethod::Exp { tau: bad } })),
            "tau"
        );
        assert_eq!(
            culprit(Transient::<f64>::new(TransientParams {
                period: 0.1,
                method: TransientMethod::Exp { tau: bad }
            })),
            "tau"
        );
        assert_eq!(culprit(Lag::new(LagParams { period: 0.1, tau: bad }, &0.0)), "tau");
        assert_eq!(culprit(Lag::new(LagParams { period: bad, tau: 1.0 }, &0.0)), "period");
        let lead = LeadLagParams { period: 0.1, gain: 1.0, tau_lead: 0.1, tau_lag: bad };
        assert_eq!(culprit(LeadLag::new(lead, &0.0)), "tau_lag");
        let gains = SecondOrderGains { a0: bad, a1: 1.0 };
        assert_eq!(
            culprit(TransientSecondExp::<f64>::new(TransientSecondExpParams { period: 0.1, gains })),
            "a0"
        );
        let params =
            LowPassParams { sampling_frequency: bad, damping_frequency: 1.0, damping_intensity: 1.0 };
        assert_eq!(culprit(LowPassFilter::new(params, &0.0)), "sampling_frequency");
        assert_eq!(culprit(savitzky_golay(3, 1, 1, bad)), "period");
    }
}

#[test]
fn limits_windows_and_coefficients_are_checked() {
    for bad in [0.0, -1.0, f64::NAN] {
        let speed = Limit::from(bad);
        assert_eq!(
            culprit(Transient::<f64>::new(TransientParams {
                period: 0.1,
                method: TransientMethod::Linear { speed }
            })),
            "speed"
        );
    }
    let transfer = |b: &[f64], a: &[f64]| {
        TransferFunction::new(TransferFunctionParams { b: b.to_vec(), a: a.to_vec() }, &0.0)
    };
    assert_eq!(culprit(transfer(&[], &[1.0])), "b");
    assert_eq!(culprit(transfer(&[1.0], &[])), "a");
    assert_eq!(culprit(transfer(&[1.0], &[0.0, 1.0])), "a0");
    assert_eq!(culprit(transfer(&[f64::NAN], &[1.0])), "b");
    assert_eq!(culprit(transfer(&[1e300], &[1e-300])), "a0");
    assert_eq!(transfer(&[1.0], &[1.0, -1.0]).unwrap().start(&1.0), Err(Error::NoSteadyState));
    assert_eq!(culprit(Median::new(WindowParams { window: 0 }, &0.0)), "window");
    assert_eq!(culprit(MovingAverage::new(WindowParams { window: 100_000 }, &0.0)), "window");
    let savgol = |window, order| DifferentiatorParams {
        period: 0.1,
        method: DiffMethod::SavitzkyGolay { window, order },
    };
    assert_eq!(culprit(Differentiator::new(savgol(1, 1), &0.0)), "window");
    assert_eq!(culprit(Differentiator::new(savgol(3, 3), &0.0)), "order");
    assert_eq!(culprit(Differentiator::new(savgol(3, 0), &0.0)), "order");
    assert_eq!(culprit(ExponentialFilter::new(ExponentialParams { alpha: 1.1 }, &0.0)), "alpha");
    assert_eq!(culprit(Saturation::<f64>::new(SaturationParams { low: 1.0, high: 0.0 })), "low");
    assert_eq!(culprit(DeadZone::<f64>::new(DeadZoneParams { low: f64::NAN, high: 0.0 })), "low");
    let biquad = BiquadParams { period: 0.1, frequency: 5.0, quality: 0.7 };
    assert_eq!(culprit(BiquadLowPass::new(biquad, &0.0)), "frequency");
    assert_eq!(
        culprit(
            Fusion::<f64>::new(FusionParams { period: 0.1, method: FusionMethod::Linear { tau: 1.0 } })
                .unwrap()
                .start(&1.5)
        ),
        "x0"
    );
}

#[test]
fn an_error_names_parameter_value_and_bounds() {
    let error = Lag::new(LagParams { period: 0.1, tau: -2.0 }, &0.0).unwrap_err();
    assert_eq!(error.to_string(), "parameter `tau` = -2 is out of bounds: it must be finite and > 0");
}

#[test]
fn wrong_lengths_are_refused_and_leave_the_state() {
    let (three, two) = (vec![1.0; 3], vec![1.0; 2]);
    let refused =
        |result: Result<Vec<f64>>| assert!(matches!(result, Err(Error::Length { .. })), "{result:?}");
    let mut filter = Lag::new(LagParams { period: 0.1, tau: 1.0 }, &three).unwrap();
    refused(filter.update(&two));
    assert!(filter.start(&two).is_err());
    assert_eq!(filter.output(&vec![9.0; 3]).unwrap(), three);
    let mut short = two.clone();
    assert!(filter.output_into(&three, &mut short).is_err());
    refused(Integrator::new(IntegratorParams::default(), &three).unwrap().update(&two));
    refused(Differentiator::new(DifferentiatorParams::default(), &three).unwrap().update(&two));
    refused(Median::new(WindowParams { window: 3 }, &three).unwrap().update(&two));
    refused(
        Fusion::new(FusionParams { period: 0.1, method: FusionMethod::Exp { tau: 1.0 } })
            .unwrap()
            .update(&Pair { u1: three.clone(), u2: two.clone() }),
    );
    refused(
        Transient::new(TransientParams { period: 0.1, method: TransientMethod::Exp { tau: 1.0 } })
            .unwrap()
            .update(&TransientInput { u: three, ur: two }),
    );
    assert!(JointState::new(&[1.0], &[]).is_err());
}

#[test]
fn an_empty_array_is_no_reason_to_panic() {
    let none: Vec<f64> = Vec::new();
    assert!(Lag::new(LagParams { period: 0.1, tau: 1.0 }, &none).unwrap().update(&none).unwrap().is_empty());
    assert!(Median::new(WindowParams { window: 3 }, &none).unwrap().update(&none).unwrap().is_empty());
    assert!(
        Transient::new(TransientParams {
            period: 0.1,
            method: TransientMethod::Linear { speed: Limit::from(1.0) }
        })
        .unwrap()
        .update(&TransientInput { u: none.clone(), ur: none.clone() })
        .unwrap()
        .is_empty()
    );
}

#[test]
fn parameters_change_without_loss_of_state() {
    let mut lag = Lag::new(LagParams { period: 0.1, tau: 1.0 }, &0.0).unwrap();
    for _ in 0..5 {
        lag.update(&1.0).unwrap();
    }
    let before = lag.output(&1.0).unwrap();
    lag.set_params(LagParams { period: 0.1, tau: 0.2 }).unwrap();
    assert_eq!(lag.output(&1.0).unwrap(), before);
    assert!(lag.set_params(LagParams { period: 0.1, tau: -0.2 }).is_err());
    assert_eq!(lag.params().tau, 0.2);

    let mut slope =
        Differentiator::new(DifferentiatorParams { period: 1.0, ..Default::default() }, &0.0).unwrap();
    slope.update(&3.0).unwrap();
    let method = DiffMethod::SavitzkyGolay { window: 4, order: 1 };
    slope.set_params(DifferentiatorParams { period: 1.0, method }).unwrap();
    slope.set_params(DifferentiatorParams { period: 1.0, ..Default::default() }).unwrap();
    assert_eq!(slope.output(&5.0).unwrap(), 2.0, "the last sample survives two changes of the method");

    let mut position = Integrator::new(IntegratorParams { period: 0.5, ..Default::default() }, &1.0).unwrap();
    position.update(&2.0).unwrap();
    position.set_params(IntegratorParams { period: 0.5, method: Quadrature::Trapezoid }).unwrap();
    position.update(&2.0).unwrap();
    assert_eq!(*position.state(), 3.0);
}

#[test]
fn a_quaternion_that_is_not_unit_is_refused() {
    let twice = nalgebra::UnitQuaternion::new_unchecked(nalgebra::Quaternion::new(2.0, 0.0, 0.0, 0.0));
    let error = Differentiator::new(DifferentiatorParams::default(), &twice).unwrap_err();
    assert_eq!(error, Error::NotUnit { what: "x0", norm: 2.0 });
}
