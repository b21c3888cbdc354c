//! Functions outside of the program: they do the worst that they may.

use super::*;

impl Run<'_> {
    /// What functions outside of the program do.
    pub(super) fn outside(
        &mut self,
        at: (FuncId, ValueId),
        name: &str,
        args: &[Known],
    ) -> Result<Option<Known>, End> {
        let number = |at: usize| args[at].bits();
        let some = |bits: u64| Ok(Some(Known::Bits(bits.into())));
        match name {
            "__VERIFIER_nondet_char" => some(self.junk() & 0xff),
            "__VERIFIER_nondet_int" => some(self.junk() & 0xffff_ffff),
            "__VERIFIER_nondet_long" | "strlen" => some(self.junk()),
            "exit" => Err(End::Other),
            "__VERIFIER_assume" => match number(0) {
                0 => Err(End::Other),
                _ => Ok(None),
            },
            "read" | "fgets" | "strcpy" => {
                let place = number(usize::from(name == "read")) as u64;
                let Some((to, offset)) = self.place(place, 1, true) else {
                    return Err(End::Trap(at.0, at.1));
                };
                let size = self.memory[to].bytes.len();
                let bytes = match name {
                    // It copies up to a 0, so whole addresses never; but some bytes of them.
                    "strcpy" => match self.place(number(1) as u64, 1, false) {
                        Some((from, start)) => {
                            let all = &self.memory[from].bytes[start..];
                            let end = all.iter().position(|byte| *byte == 0);
                            all[..end.unwrap_or(all.len())].to_vec()
                        }
                        None => return Err(End::Trap(at.0, at.1)),
                    },
                    _ => self.junk_bytes(size - offset),
                };
                let fits = bytes.len().min(size - offset);
                self.memory[to].bytes[offset..offset + fits].copy_from_slice(&bytes[..fits]);
                match name {
                    "read" => some(self.junk()),
                    "fgets" if (self.random)(3) == 0 => some(0),
                    _ => some(place),
                }
            }
            "strchr" => {
                let place = number(0) as u64;
                let Some((to, offset)) = self.place(place, 1, false) else {
                    return Err(End::Trap(at.0, at.1));
                };
                let left = self.memory[to].bytes.len() - offset;
                match (self.random)(3) {
                    0 => some(0),
                    _ => some(place + u64::from((self.random)(left as u32))),
                }
            }
            "malloc" | "calloc" => {
                if (self.random)(4) == 0 {
                    return some(0);
                }
                let size = number(0) as usize * args.get(1).map_or(1, |arg| arg.bits() as usize);
                let bytes = match name {
                    "malloc" => self.junk_bytes(size),
                    _ => vec![0; size],
                };
                let made = self.make(Object::Heap(at.0, at.1), bytes, false);
                some(self.memory[made].base)
            }
            "signal" => {
                if let Some(window) = self.window(number(1) as u64)
                    && let Object::Function(function) = self.memory[window].object
                {
                    self.handler = Some(function);
                }
                some(0)
            }
            _ => {
                self.adversary(args)?;
                let ty = self.program.functions[at.0].values[at.1].ty.clone();
                match ty {
                    Type::Ptr => some(self.kept_address()),
                    _ => some(self.junk() & 0xffff_ffff),
                }
            }
        }
    }

    /// An address that code outside has, or a number.
    pub(super) fn kept_address(&mut self) -> u64 {
        let kept: Vec<usize> = self.kept.iter().copied().collect();
        match (self.random)(12) {
            0 => self.junk() & 0xfff,
            _ if kept.is_empty() => 0,
            _ => {
                let at = kept[(self.random)(kept.len() as u32) as usize];
                self.memory[at].base + [0, 0, 0, 4][(self.random)(4) as usize]
            }
        }
    }

    /// Keeps what it gets, writes to all that it reaches, and calls it.
    pub(super) fn adversary(&mut self, args: &[Known]) -> Result<(), End> {
        for arg in args {
            self.kept.extend(owner(&self.memory, arg.bits() as u64));
        }
        for _ in 0..(self.random)(5) {
            self.reach();
            let kept: Vec<usize> = self.kept.iter().copied().collect();
            if kept.is_empty() {
                break;
            }
            let at = kept[(self.random)(kept.len() as u32) as usize];
            if let Object::Function(function) = self.memory[at].object {
                let params = self.program.functions[function].params.len();
                if (self.random)(2) == 0 || params != 2 {
                    continue;
                }
                let args = [
                    u128::from(self.kept_address()),
                    u128::from(self.junk() & 0xffff_ffff),
                ];
                self.call(function, &args.map(Known::Bits))?;
                continue;
            }
            let instance = &self.memory[at];
            let size = [1, 2, 4, 8][(self.random)(4) as usize];
            if instance.constant || !instance.lives || instance.bytes.len() < size {
                continue;
            }
            let places = instance.bytes.len() - size + 1;
            let offset = (self.random)(places.min(64) as u32) as usize;
            let (offset, word) = match size {
                8 if (self.random)(2) == 0 => (offset / 8 * 8, self.kept_address()),
                _ => (offset, self.junk()),
            };
            let bytes = word.to_le_bytes();
            self.memory[at].bytes[offset..offset + size].copy_from_slice(&bytes[..size]);
        }
        Ok(())
    }

    /// What it has points to more.
    pub(super) fn reach(&mut self) {
        let mut work: Vec<usize> = self.kept.iter().copied().collect();
        while let Some(at) = work.pop() {
            let bytes = &self.memory[at].bytes;
            for offset in 0..bytes.len().min(64).saturating_sub(7) {
                let word = read(&self.memory[at], offset, 8) as u64;
                if let Some(to) = owner(&self.memory, word)
                    && self.kept.insert(to)
                {
                    work.push(to);
                }
            }
        }
    }
}
