//! Functions that a trace calls for real.
//!
//! What the C library computes without side effects is called in this process, by name from one table; Rust's own methods
//! call the same functions of the math library. Any other function goes to the caller, which runs it where it can do no harm.
//!
//! Must hold: a function of the table depends on its arguments alone.

/// Calls a function that the table does not have: its name, its arguments; `None` if the call gave no result.
pub type Callback<'a> = dyn FnMut(&str, &[u128]) -> Option<u128> + 'a;

/// A function, by its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct External(String);

/// How a known function is called.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Known {
    Double(fn(f64) -> f64),
    Doubles(fn(f64, f64) -> f64),
    Single(fn(f32) -> f32),
    Singles(fn(f32, f32) -> f32),
    Int(fn(i32) -> i32),
    Long(fn(i64) -> i64),
}

macro_rules! functions {
    ($($name:literal $float:literal = $method:ident / $arity:tt,)*) => {
        const KNOWN: &[(&str, Known)] = &[
            $(($name, functions!(@ $arity f64 Double Doubles $method)), ($float, functions!(@ $arity f32 Single Singles $method)),)*
            ("abs", Known::Int(i32::wrapping_abs)),
            ("labs", Known::Long(i64::wrapping_abs)),
            ("llabs", Known::Long(i64::wrapping_abs)),
            ("toupper", Known::Int(to_upper)),
            ("tolower", Known::Int(to_lower)),
        ];
    };
    (@ 1 $type:ident $one:ident $two:ident $method:ident) => { Known::$one($type::$method) };
    (@ 2 $type:ident $one:ident $two:ident $method:ident) => { Known::$two($type::$method) };
    (@ rem $type:ident $one:ident $two:ident $method:ident) => { Known::$two(|a, b| a % b) };
}

functions! {
    "sin" "sinf" = sin / 1, "cos" "cosf" = cos / 1, "tan" "tanf" = tan / 1,
    "asin" "asinf" = asin / 1, "acos" "acosf" = acos / 1, "atan" "atanf" = atan / 1,
    "atan2" "atan2f" = atan2 / 2,
    "sinh" "sinhf" = sinh / 1, "cosh" "coshf" = cosh / 1, "tanh" "tanhf" = tanh / 1,
    "exp" "expf" = exp / 1, "exp2" "exp2f" = exp2 / 1, "expm1" "expm1f" = exp_m1 / 1,
    "log" "logf" = ln / 1, "log2" "log2f" = log2 / 1, "log10" "log10f" = log10 / 1, "log1p" "log1pf" = ln_1p / 1,
    "pow" "powf" = powf / 2, "sqrt" "sqrtf" = sqrt / 1, "cbrt" "cbrtf" = cbrt / 1,
    "hypot" "hypotf" = hypot / 2, "fmod" "fmodf" = rem / rem,
    "floor" "floorf" = floor / 1, "ceil" "ceilf" = ceil / 1, "round" "roundf" = round / 1,
    "trunc" "truncf" = trunc / 1, "fabs" "fabsf" = abs / 1,
}

/// In the locale "C".
fn to_upper(c: i32) -> i32 {
    u8::try_from(c).map_or(c, |byte| byte.to_ascii_uppercase().into())
}

/// In the locale "C".
fn to_lower(c: i32) -> i32 {
    u8::try_from(c).map_or(c, |byte| byte.to_ascii_lowercase().into())
}

impl Known {
    /// Width of the arguments and the result, and the number of arguments.
    pub(crate) fn signature(self) -> (u16, usize) {
        match self {
            Known::Double(_) | Known::Long(_) => (64, 1),
            Known::Doubles(_) => (64, 2),
            Known::Single(_) | Known::Int(_) => (32, 1),
            Known::Singles(_) => (32, 2),
        }
    }

    /// The result; `b` counts where there are two arguments.
    pub(crate) fn call(self, a: u64, b: u64) -> u64 {
        let single = |bits: u64| f32::from_bits(bits as u32);
        match self {
            Known::Double(f) => f(f64::from_bits(a)).to_bits(),
            Known::Doubles(f) => f(f64::from_bits(a), f64::from_bits(b)).to_bits(),
            Known::Single(f) => f(single(a)).to_bits().into(),
            Known::Singles(f) => f(single(a), single(b)).to_bits().into(),
            Known::Int(f) => f(a as u32 as i32).cast_unsigned().into(),
            Known::Long(f) => f(a.cast_signed()).cast_unsigned(),
        }
    }
}

impl External {
    /// The function of this name.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self(name.into())
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0
    }

    /// Whether it is called in this process, without the [`Callback`].
    #[must_use]
    pub fn is_known(&self) -> bool {
        self.known().is_some()
    }

    pub(crate) fn known(&self) -> Option<Known> {
        let found = KNOWN.iter().find(|(name, _)| *name == self.0);
        found.map(|(_, known)| *known)
    }

    /// Calls it, wherever it is.
    pub(crate) fn call(&self, args: &[u128], callback: &mut Callback<'_>) -> Option<u128> {
        match self.known() {
            Some(known) => {
                let at = |i: usize| args.get(i).map_or(0, |&a| a as u64);
                Some(known.call(at(0), at(1)).into())
            }
            None => callback(&self.0, args),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_functions_have_one_entry_each_and_give_the_library_s_results() {
        for (i, (name, _)) in KNOWN.iter().enumerate() {
            assert!(KNOWN[..i].iter().all(|(other, _)| other != name), "{name}");
        }
        let call = |name: &str, args: &[f64]| {
            let bits: Vec<u128> = args.iter().map(|a| a.to_bits().into()).collect();
            let known = External::new(name);
            assert!(known.is_known());
            f64::from_bits(known.call(&bits, &mut |_, _| None).expect("a result") as u64)
        };
        assert_eq!(call("sin", &[1.0]), 1.0_f64.sin());
        assert_eq!(call("fmod", &[-5.5, 2.0]), -1.5);
        assert_eq!(call("pow", &[2.0, 10.0]), 1024.0);
        assert_eq!(call("log", &[1.0]), 0.0);
        assert!(call("sqrt", &[-1.0]).is_nan());
        let abs = External::new("abs").call(&[0xffff_fff9], &mut |_, _| None);
        assert_eq!(abs, Some(7));
        let mut asked = Vec::new();
        let other = External::new("crc").call(&[1, 2], &mut |name, args| {
            asked.push((name.to_owned(), args.to_vec()));
            Some(9)
        });
        assert_eq!(other, Some(9));
        assert_eq!(asked, [("crc".to_owned(), vec![1, 2])]);
    }
}
