//! Routines as machine code, with the operations of generated Rust in its order.
//!
//! Code contains no addresses: functions that processors do not have are called through a table that it is given, so that
//! it can be kept in files.

use cranelift_codegen::Context;
use cranelift_codegen::control::ControlPlane;
use cranelift_codegen::ir::Endianness;
use cranelift_codegen::ir::condcodes::FloatCC;
use cranelift_codegen::ir::types::{F64, F64X2, I64};
use cranelift_codegen::ir::{AbiParam, ConstantData, Function, InstBuilder, MemFlags, SigRef, Signature, StackSlot};
use cranelift_codegen::ir::{StackSlotData, StackSlotKind, Type, Value};
use cranelift_codegen::isa::{OwnedTargetIsa, TargetIsa};
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use hamel_compiler::expr::{Binary, Scalar, Unary};
use hamel_compiler::schedule::groups::Group;
use hamel_compiler::schedule::methods::Factor;
use hamel_compiler::schedule::split::{MAX_STATEMENTS, parts};
use hamel_compiler::schedule::{Argument, Expression, LEAST_ANGLES, Routine, Statement};

use crate::Level;
use crate::call::{BINARY, Functions, GROUPS, Given, LANES, UNARY};
use crate::error::Error;

/// Statements from which on a routine is translated as at once: the time that the choice of registers takes grows faster
/// than the number of statements. For a chain of 100 links in joint coordinates it was 36 s, and is 4 s with this limit.
pub(crate) const LARGE: usize = 20_000;

/// The code generators for this processor.
pub(crate) struct Processor {
    isa: OwnedTargetIsa,
    of_large: OwnedTargetIsa,
}

impl Processor {
    /// The one on which this program runs.
    ///
    /// # Errors
    /// If there is no code generator for it.
    pub fn new(level: Level) -> Result<Processor, Error> {
        // Others keep instructions apart from data, and would have to be told of new ones.
        if !cfg!(target_arch = "x86_64") {
            return Err(Error::Processor("machine code in memory is made for x86-64 alone so far".to_owned()));
        }
        Ok(Processor { isa: isa(level)?, of_large: isa(Level::AtOnce)? })
    }

    /// What it is and can do.
    pub fn name(&self) -> String {
        let abilities = self.isa.isa_flags().into_iter().map(|flag| flag.to_string());
        format!("{} {}", self.isa.triple(), abilities.collect::<Vec<_>>().join(" "))
    }

    fn of(&self, routine: &Routine) -> &dyn TargetIsa {
        if routine.statements.len() < LARGE { &*self.isa } else { &*self.of_large }
    }
}

fn isa(level: Level) -> Result<OwnedTargetIsa, Error> {
    let refused = |reason: &dyn std::fmt::Display| Error::Processor(reason.to_string());
    let (optimisation, registers) = match level {
        Level::AtOnce => ("none", "single_pass"),
        Level::Optimised => ("speed", "backtracking"),
    };
    let mut flags = settings::builder();
    let all = [("opt_level", optimisation), ("regalloc_algorithm", registers), ("enable_verifier", "false")];
    for (name, value) in all {
        flags.set(name, value).map_err(|error| refused(&error))?;
    }
    let builder = cranelift_native::builder().map_err(|error| refused(&error))?;
    builder.finish(settings::Flags::new(flags)).map_err(|error| refused(&error))
}

/// A routine with what its translation needs to know of its surroundings.
pub(crate) struct Source<'a> {
    /// Its name, for errors.
    pub name: &'a str,
    pub routine: &'a Routine,
    pub reads: [Read<'a>; GROUPS],
    /// Where each output goes, which may be to several lists.
    pub stores: &'a [Vec<Store>],
    /// Whether neighbouring angles are computed together.
    pub angles_together: bool,
    pub width: Width,
}

/// How many instances code computes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Width {
    One,
    /// Two in each register, and so many pairs. Lists have [`LANES`] values for each of theirs.
    Pairs(usize),
}

impl Width {
    /// What a register holds.
    fn kind(self) -> Type {
        match self {
            Width::One => F64,
            Width::Pairs(_) => F64X2,
        }
    }

    /// Registers of a value.
    fn registers(self) -> usize {
        match self {
            Width::One => 1,
            Width::Pairs(pairs) => pairs,
        }
    }

    /// Numbers of a value.
    pub fn lanes(self) -> usize {
        match self {
            Width::One => 1,
            Width::Pairs(pairs) => 2 * pairs,
        }
    }

    /// Where a value of a list is, in bytes, and a register of it.
    fn offset(self, index: usize, register: usize) -> i32 {
        let values = if self == Width::One { 1 } else { LANES };
        (8 * values * index + 16 * register) as i32
    }
}

/// Where the values of a group are read.
#[derive(Clone, Copy)]
pub(crate) enum Read<'a> {
    InOrder,
    /// At the places that the caller gives.
    Given,
    /// At these.
    At(&'a [usize]),
}

/// Where an output goes: to which of the lists of results, and where in it each entry.
pub(crate) struct Store {
    pub list: usize,
    pub places: Vec<usize>,
    /// The factor with which it is added to what is there, after all has been computed; without it is overwritten.
    pub added: Option<Factor>,
}

/// The machine code of a routine.
///
/// # Errors
/// What the code generator refuses.
pub(crate) fn translate(source: &Source, processor: &Processor) -> Result<Vec<u8>, Error> {
    let refused = |reason: String| Error::Function { function: source.name.to_owned(), reason };
    let isa = processor.of(source.routine);
    let mut context = Context::new();
    context.func = function(source, isa);
    let compiled =
        context.compile(isa, &mut ControlPlane::default()).map_err(|error| refused(format!("{:?}", error.inner)))?;
    if !compiled.buffer.relocs().is_empty() {
        return Err(refused("its code contains addresses".to_owned()));
    }
    Ok(compiled.code_buffer().to_vec())
}

/// A group of arguments by its index in [`Given`], and the index within it. No routine has both parameters and constants.
pub(crate) fn group(argument: Argument) -> (usize, usize) {
    let (group, index) = match argument {
        Argument::Parameter(index) => (Group::Constants, index),
        other => Group::split(other).unwrap_or_else(|| unreachable!("all but parameters have one")),
    };
    (group as usize, index)
}

fn function(source: &Source, isa: &dyn TargetIsa) -> Function {
    let convention = isa.default_call_conv();
    let signature = |given: &[cranelift_codegen::ir::Type], returned: &[cranelift_codegen::ir::Type]| {
        let mut signature = Signature::new(convention);
        signature.params.extend(given.iter().map(|&kind| AbiParam::new(kind)));
        signature.returns.extend(returned.iter().map(|&kind| AbiParam::new(kind)));
        signature
    };
    let mut function = Function::new();
    function.signature = signature(&[I64, I64], &[]);
    let mut context = FunctionBuilderContext::new();
    let mut builder = FunctionBuilder::new(&mut function, &mut context);
    let block = builder.create_block();
    builder.append_block_params_for_function_params(block);
    builder.switch_to_block(block);
    builder.seal_block(block);
    let [given, results] = [0, 1].map(|i| builder.block_params(block)[i]);
    let signatures = Signatures {
        unary: builder.import_signature(signature(&[F64], &[F64])),
        binary: builder.import_signature(signature(&[F64, F64], &[F64])),
        sin_cos: builder.import_signature(signature(&[F64, I64], &[])),
        several: builder.import_signature(signature(&[I64, I64, I64], &[])),
    };
    let mut translation = Translation {
        builder,
        source,
        given,
        values: [None; GROUPS],
        places: [None; GROUPS],
        functions: None,
        lists: vec![None; source.stores.iter().flatten().map(|store| store.list + 1).max().unwrap_or(0)],
        results,
        entries: vec![vec![Vec::new(); source.stores.len()]; source.width.registers()],
        locals: vec![vec![None; source.routine.locals.len()]; source.width.registers()],
        signatures,
        register: 0,
    };
    // Angles are grouped as in generated Rust, where long functions have parts.
    let parts = parts(source.routine, MAX_STATEMENTS);
    let groups: Vec<&[Statement]> = parts.iter().flat_map(|part| part.routine.groups()).collect();
    let is_call = |group: &&[Statement]| matches!(group[0], Statement::SinCos { .. });
    let mut rest = &groups[..];
    while let Some((first, others)) = rest.split_first() {
        if is_call(first) {
            translation.angles(first);
            rest = others;
            continue;
        }
        // One register of all values after the other: the processor has not many more than one instance needs.
        let (between, others) = rest.split_at(rest.iter().take_while(|group| !is_call(group)).count());
        for register in 0..source.width.registers() {
            translation.register = register;
            between.iter().copied().flatten().for_each(|statement| translation.statement(statement));
        }
        rest = others;
    }
    for register in 0..source.width.registers() {
        translation.register = register;
        translation.additions();
    }
    translation.builder.ins().return_(&[]);
    translation.builder.finalize();
    function
}

struct Signatures {
    unary: SigRef,
    binary: SigRef,
    sin_cos: SigRef,
    several: SigRef,
}

/// Where the value of a temporary is.
#[derive(Clone, Copy)]
enum Local {
    Known(Value),
    Stored(StackSlot, i32),
}

struct Translation<'a, 'f> {
    builder: FunctionBuilder<'f>,
    source: &'a Source<'a>,
    /// Address of [`Given`].
    given: Value,
    /// Addresses that have been read from there.
    values: [Option<Value>; GROUPS],
    places: [Option<Value>; GROUPS],
    functions: Option<Value>,
    /// Addresses of the lists of results, and where these addresses stand.
    lists: Vec<Option<Value>>,
    results: Value,
    /// For each register and output the entries that are added in the end, with their positions.
    entries: Vec<Vec<Vec<(usize, Value)>>>,
    /// For each register.
    locals: Vec<Vec<Option<Local>>>,
    signatures: Signatures,
    /// Which register of all values is computed.
    register: usize,
}

/// What is read never changes while a function runs, and is where it must be.
fn constant() -> MemFlags {
    MemFlags::trusted().with_readonly().with_can_move()
}

impl Translation<'_, '_> {
    fn address(&mut self, from: Value, offset: usize) -> Value {
        self.builder.ins().load(I64, constant(), from, offset as i32)
    }

    /// The address of the values of a group.
    fn values(&mut self, group: usize) -> Value {
        let offset = std::mem::offset_of!(Given, values) + 8 * group;
        let known = self.values[group];
        let value = known.unwrap_or_else(|| self.address(self.given, offset));
        *self.values[group].insert(value)
    }

    fn places(&mut self, group: usize) -> Value {
        let offset = std::mem::offset_of!(Given, places) + 8 * group;
        let known = self.places[group];
        let value = known.unwrap_or_else(|| self.address(self.given, offset));
        *self.places[group].insert(value)
    }

    fn list(&mut self, list: usize) -> Value {
        let known = self.lists[list];
        let value = known.unwrap_or_else(|| self.address(self.results, 8 * list));
        *self.lists[list].insert(value)
    }

    /// The address of a function in the table.
    fn function(&mut self, offset: usize) -> Value {
        let known = self.functions;
        let table = known.unwrap_or_else(|| self.address(self.given, std::mem::offset_of!(Given, functions)));
        self.functions = Some(table);
        self.address(table, offset)
    }

    fn argument(&mut self, argument: Argument) -> Value {
        let (group, index) = group(argument);
        let values = self.values(group);
        let width = self.source.width;
        let place = match self.source.reads[group] {
            Read::InOrder => index,
            Read::At(places) => places[index],
            Read::Given => {
                let places = self.places(group);
                let place = self.builder.ins().uload32(constant(), places, 4 * index as i32);
                let offset = self.builder.ins().imul_imm(place, i64::from(width.offset(1, 0)));
                let address = self.builder.ins().iadd(values, offset);
                return self.builder.ins().load(width.kind(), constant(), address, width.offset(0, self.register));
            }
        };
        self.builder.ins().load(width.kind(), constant(), values, width.offset(place, self.register))
    }

    fn number(&mut self, value: f64) -> Value {
        match self.source.width {
            Width::One => self.builder.ins().f64const(value),
            Width::Pairs(_) => {
                let bytes = value.to_le_bytes();
                let both = ConstantData::from(&[bytes, bytes].concat()[..]);
                let constant = self.builder.func.dfg.constants.insert(both);
                self.builder.ins().vconst(F64X2, constant)
            }
        }
    }

    fn set(&mut self, local: usize, value: Local) {
        self.locals[self.register][local] = Some(value);
    }

    fn local(&mut self, local: usize) -> Value {
        // A temporary is computed before it is read.
        let value = match self.locals[self.register][local].unwrap_or_else(|| unreachable!("a temporary without value"))
        {
            Local::Known(value) => value,
            Local::Stored(slot, offset) => self.builder.ins().stack_load(self.source.width.kind(), slot, offset),
        };
        self.set(local, Local::Known(value));
        value
    }

    fn statement(&mut self, statement: &Statement) {
        let value = self.expression(statement.value());
        match *statement {
            Statement::Let { local, .. } => self.set(local, Local::Known(value)),
            Statement::SinCos { .. } => unreachable!("angles are called for"),
            Statement::Store { output, position, .. } => {
                let stores = &self.source.stores[output];
                for Store { list, places, .. } in stores.iter().filter(|store| store.added.is_none()) {
                    let address = self.list(*list);
                    let offset = self.source.width.offset(places[position], self.register);
                    self.builder.ins().store(MemFlags::trusted(), value, address, offset);
                }
                if stores.iter().any(|store| store.added.is_some()) {
                    self.entries[self.register][output].push((position, value));
                }
            }
        }
    }

    /// Adds results to the lists, in the order of generated Rust.
    fn additions(&mut self) {
        let (width, register) = (self.source.width, self.register);
        for (stores, mut entries) in self.source.stores.iter().zip(std::mem::take(&mut self.entries[register])) {
            entries.sort_by_key(|(position, _)| *position);
            for Store { list, places, added } in stores {
                let Some(factor) = added else { continue };
                let factor = match factor {
                    Factor::One => None,
                    Factor::MinusOne => Some(self.number(-1.0)),
                    Factor::Argument(index) => {
                        let offset = std::mem::offset_of!(Given, factors) + 8 * index;
                        let factor = self.builder.ins().load(F64, constant(), self.given, offset as i32);
                        Some(if width == Width::One { factor } else { self.builder.ins().splat(F64X2, factor) })
                    }
                };
                let address = self.list(*list);
                for &(position, entry) in &entries {
                    let offset = width.offset(places[position], register);
                    let term = factor.map_or(entry, |factor| self.builder.ins().fmul(factor, entry));
                    let before = self.builder.ins().load(width.kind(), MemFlags::trusted(), address, offset);
                    let after = self.builder.ins().fadd(before, term);
                    self.builder.ins().store(MemFlags::trusted(), after, address, offset);
                }
            }
        }
    }

    /// Sines and cosines of neighbouring angles: one by one, or together by the runtime.
    fn angles(&mut self, statements: &[Statement]) {
        let are_together = self.source.angles_together && statements.len() >= LEAST_ANGLES;
        match self.source.width {
            Width::One if !are_together => statements.iter().for_each(|statement| self.angle(statement)),
            width => {
                let function = match (width, are_together) {
                    (Width::One, _) => std::mem::offset_of!(Functions, sin_cos_each),
                    (_, true) => std::mem::offset_of!(Functions, sines_cosines),
                    (_, false) => std::mem::offset_of!(Functions, sines_cosines_of_library),
                };
                self.several(statements, function);
            }
        }
    }

    /// Sine and cosine of one angle.
    fn angle(&mut self, statement: &Statement) {
        let Statement::SinCos { sine, cosine, argument } = statement else { unreachable!("an angle") };
        let angle = self.expression(argument);
        let pair = self.slot(2);
        let function = self.function(std::mem::offset_of!(Functions, sin_cos));
        let address = self.builder.ins().stack_addr(I64, pair, 0);
        self.builder.ins().call_indirect(self.signatures.sin_cos, function, &[angle, address]);
        self.set(*sine, Local::Stored(pair, 0));
        self.set(*cosine, Local::Stored(pair, 8));
    }

    /// Sines and cosines of several angles by one call. One after the other these stand pair by pair; in lanes all sines come
    /// first, so that the function sees one list of angles.
    fn several(&mut self, statements: &[Statement], function: usize) {
        let (n, width) = (statements.len(), self.source.width);
        let lanes = width.lanes();
        let (angles, found) = (self.slot(lanes * n), self.slot(2 * lanes * n));
        let place = |value: usize, register: usize| (8 * lanes * value + 16 * register) as i32;
        for register in 0..width.registers() {
            self.register = register;
            for (i, statement) in statements.iter().enumerate() {
                let value = self.expression(statement.value());
                self.builder.ins().stack_store(value, angles, place(i, register));
            }
        }
        let function = self.function(function);
        let [from, to] = [angles, found].map(|slot| self.builder.ins().stack_addr(I64, slot, 0));
        let count = self.builder.ins().iconst(I64, (lanes * n) as i64);
        self.builder.ins().call_indirect(self.signatures.several, function, &[from, to, count]);
        for register in 0..width.registers() {
            self.register = register;
            for (i, statement) in statements.iter().enumerate() {
                let Statement::SinCos { sine, cosine, .. } = *statement else { unreachable!("an angle") };
                let [of_sine, of_cosine] = if width == Width::One { [2 * i, 2 * i + 1] } else { [i, n + i] };
                self.set(sine, Local::Stored(found, place(of_sine, register)));
                self.set(cosine, Local::Stored(found, place(of_cosine, register)));
            }
        }
    }

    /// Room for so many numbers.
    fn slot(&mut self, numbers: usize) -> StackSlot {
        let data = StackSlotData::new(StackSlotKind::ExplicitSlot, 8 * numbers as u32, 4);
        self.builder.create_sized_stack_slot(data)
    }

    fn expression(&mut self, expression: &Expression) -> Value {
        match expression {
            Expression::Number(number) => self.number(f64::from_number(*number)),
            Expression::Argument(argument) => self.argument(*argument),
            Expression::Local(local) => self.local(*local),
            Expression::Unary(op, a) => {
                let a = self.expression(a);
                match op {
                    Unary::Neg => self.builder.ins().fneg(a),
                    Unary::Sqrt => self.builder.ins().sqrt(a),
                    Unary::Abs => self.builder.ins().fabs(a),
                    _ => self.unary(unary(*op), a),
                }
            }
            Expression::Binary(op, a, b) => {
                let (a, b) = (self.expression(a), self.expression(b));
                match op {
                    Binary::Add => self.builder.ins().fadd(a, b),
                    Binary::Sub => self.builder.ins().fsub(a, b),
                    Binary::Mul => self.builder.ins().fmul(a, b),
                    Binary::Div => self.builder.ins().fdiv(a, b),
                    _ => self.binary(binary(*op), a, b),
                }
            }
            Expression::MulAdd(parts) => {
                let [a, b, c] = parts.each_ref().map(|part| self.expression(part));
                match hamel::generated::HAS_FUSED_MULTIPLY_ADD {
                    true => self.builder.ins().fma(a, b, c),
                    false => {
                        let product = self.builder.ins().fmul(a, b);
                        self.builder.ins().fadd(product, c)
                    }
                }
            }
            Expression::Select(parts) => {
                let [lhs, rhs, then, otherwise] = parts.each_ref().map(|part| self.expression(part));
                let is_less = self.builder.ins().fcmp(FloatCC::LessThan, lhs, rhs);
                match self.source.width {
                    Width::One => self.builder.ins().select(is_less, then, otherwise),
                    // Lanes of a comparison are all ones or all zeros.
                    Width::Pairs(_) => {
                        let mask = self.builder.ins().bitcast(
                            F64X2,
                            MemFlags::new().with_endianness(Endianness::Little),
                            is_less,
                        );
                        self.builder.ins().bitselect(mask, then, otherwise)
                    }
                }
            }
        }
    }

    fn unary(&mut self, index: usize, argument: Value) -> Value {
        let function = self.function(std::mem::offset_of!(Functions, unary) + 8 * index);
        self.call(self.signatures.unary, function, &[argument])
    }

    fn binary(&mut self, index: usize, a: Value, b: Value) -> Value {
        let function = self.function(std::mem::offset_of!(Functions, binary) + 8 * index);
        self.call(self.signatures.binary, function, &[a, b])
    }

    /// Calls a function of numbers for each of a register.
    fn call(&mut self, signature: SigRef, function: Value, arguments: &[Value]) -> Value {
        let of_numbers = |builder: &mut FunctionBuilder, arguments: &[Value]| {
            let call = builder.ins().call_indirect(signature, function, arguments);
            builder.inst_results(call)[0]
        };
        if self.source.width == Width::One {
            return of_numbers(&mut self.builder, arguments);
        }
        let results = [0, 1].map(|lane| {
            let of_lane: Vec<Value> =
                arguments.iter().map(|&argument| self.builder.ins().extractlane(argument, lane)).collect();
            of_numbers(&mut self.builder, &of_lane)
        });
        let first = self.builder.ins().scalar_to_vector(F64X2, results[0]);
        self.builder.ins().insertlane(first, results[1], 1)
    }
}

/// Place in [`Functions::unary`].
fn unary(op: Unary) -> usize {
    const ALL: [Unary; UNARY] = [
        Unary::Sin,
        Unary::Cos,
        Unary::Tan,
        Unary::Asin,
        Unary::Acos,
        Unary::Atan,
        Unary::Exp,
        Unary::Ln,
        Unary::Tanh,
        Unary::Sign,
    ];
    ALL.iter().position(|known| *known == op).unwrap_or_else(|| unreachable!("an instruction of the processor"))
}

/// Place in [`Functions::binary`].
fn binary(op: Binary) -> usize {
    const ALL: [Binary; BINARY] = [Binary::Atan2, Binary::Power, Binary::Min, Binary::Max];
    ALL.iter().position(|known| *known == op).unwrap_or_else(|| unreachable!("an instruction of the processor"))
}
