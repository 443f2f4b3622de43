//! Routines as machine code, with the operations of generated Rust in its order.
//!
//! Code contains no addresses: functions that processors do not have are called through a table that it is given, so that
//! it can be kept in files.

use cranelift_codegen::Context;
use cranelift_codegen::control::ControlPlane;
use cranelift_codegen::ir::condcodes::FloatCC;
use cranelift_codegen::ir::types::{F64, I64};
use cranelift_codegen::ir::{AbiParam, Function, InstBuilder, MemFlags, SigRef, Signature, StackSlot, Value};
use cranelift_codegen::ir::{StackSlotData, StackSlotKind};
use cranelift_codegen::isa::{OwnedTargetIsa, TargetIsa};
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use hamel_compiler::expr::{Binary, Scalar, Unary};
use hamel_compiler::schedule::groups::Group;
use hamel_compiler::schedule::methods::Factor;
use hamel_compiler::schedule::split::{MAX_STATEMENTS, parts};
use hamel_compiler::schedule::{Argument, Expression, LEAST_ANGLES, Routine, Statement};

use crate::Level;
use crate::call::{BINARY, Functions, GROUPS, Given, UNARY};
use crate::error::Error;

/// Statements from which on a routine is translated as at once: the time that the choice of registers takes grows faster
/// than the number of statements. For a chain of 100 links in joint coordinates it was 36 s, and is 4 s with this limit.
const LARGE: usize = 20_000;

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
    /// Whether several angles are computed together.
    pub in_lanes: bool,
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
        sin_cos_each: builder.import_signature(signature(&[I64, I64, I64], &[])),
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
        entries: vec![Vec::new(); source.stores.len()],
        pair: None,
        locals: vec![None; source.routine.locals.len()],
        signatures,
        angles: None,
    };
    // Angles are grouped as in generated Rust, where long functions have parts.
    for part in parts(source.routine, MAX_STATEMENTS) {
        for statements in part.routine.groups() {
            match statements.len() {
                LEAST_ANGLES.. if source.in_lanes => translation.angles(statements),
                _ => statements.iter().for_each(|statement| translation.statement(statement)),
            }
        }
    }
    translation.additions();
    translation.builder.ins().return_(&[]);
    translation.builder.finalize();
    function
}

struct Signatures {
    unary: SigRef,
    binary: SigRef,
    sin_cos: SigRef,
    sin_cos_each: SigRef,
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
    /// For each output the entries that are added in the end, with their positions.
    entries: Vec<Vec<(usize, Value)>>,
    locals: Vec<Option<Value>>,
    signatures: Signatures,
    /// Room for a sine and a cosine.
    pair: Option<StackSlot>,
    /// Room for angles and for their sines and cosines, with the number of angles.
    angles: Option<(StackSlot, StackSlot, usize)>,
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
        let places = match self.source.reads[group] {
            Read::InOrder => return self.builder.ins().load(F64, constant(), values, 8 * index as i32),
            Read::At(places) => return self.builder.ins().load(F64, constant(), values, 8 * places[index] as i32),
            Read::Given => self.places(group),
        };
        let place = self.builder.ins().uload32(constant(), places, 4 * index as i32);
        let offset = self.builder.ins().ishl_imm(place, 3);
        let address = self.builder.ins().iadd(values, offset);
        self.builder.ins().load(F64, constant(), address, 0)
    }

    fn statement(&mut self, statement: &Statement) {
        let value = self.expression(statement.value());
        match *statement {
            Statement::Let { local, .. } => self.locals[local] = Some(value),
            Statement::SinCos { sine, cosine, .. } => self.angle(value, [sine, cosine]),
            Statement::Store { output, position, .. } => {
                let stores = &self.source.stores[output];
                for Store { list, places, .. } in stores.iter().filter(|store| store.added.is_none()) {
                    let address = self.list(*list);
                    self.builder.ins().store(MemFlags::trusted(), value, address, 8 * places[position] as i32);
                }
                if stores.iter().any(|store| store.added.is_some()) {
                    self.entries[output].push((position, value));
                }
            }
        }
    }

    /// Adds results to the lists, in the order of generated Rust.
    fn additions(&mut self) {
        for (stores, mut entries) in self.source.stores.iter().zip(std::mem::take(&mut self.entries)) {
            entries.sort_by_key(|(position, _)| *position);
            for Store { list, places, added } in stores {
                let Some(factor) = added else { continue };
                let factor = match factor {
                    Factor::One => None,
                    Factor::MinusOne => Some(self.builder.ins().f64const(-1.0)),
                    Factor::Argument(index) => {
                        let offset = std::mem::offset_of!(Given, factors) + 8 * index;
                        Some(self.builder.ins().load(F64, constant(), self.given, offset as i32))
                    }
                };
                let address = self.list(*list);
                for &(position, entry) in &entries {
                    let offset = 8 * places[position] as i32;
                    let term = factor.map_or(entry, |factor| self.builder.ins().fmul(factor, entry));
                    let before = self.builder.ins().load(F64, MemFlags::trusted(), address, offset);
                    let after = self.builder.ins().fadd(before, term);
                    self.builder.ins().store(MemFlags::trusted(), after, address, offset);
                }
            }
        }
    }

    /// Sine and cosine of one angle.
    fn angle(&mut self, angle: Value, locals: [usize; 2]) {
        let slot = *self.pair.get_or_insert_with(|| {
            self.builder.create_sized_stack_slot(StackSlotData::new(StackSlotKind::ExplicitSlot, 16, 3))
        });
        let function = self.function(std::mem::offset_of!(Functions, sin_cos));
        let pair = self.builder.ins().stack_addr(I64, slot, 0);
        self.builder.ins().call_indirect(self.signatures.sin_cos, function, &[angle, pair]);
        for (k, local) in locals.into_iter().enumerate() {
            self.locals[local] = Some(self.builder.ins().stack_load(F64, slot, 8 * k as i32));
        }
    }

    /// Sines and cosines of several angles, which the runtime computes together.
    fn angles(&mut self, statements: &[Statement]) {
        let n = statements.len();
        // Two calls may share their room, one after the other.
        let (angles, pairs, _) = match self.angles.filter(|(.., room)| *room >= n) {
            Some(known) => known,
            None => {
                let mut slot = |values: usize| {
                    let data = StackSlotData::new(StackSlotKind::ExplicitSlot, 8 * values as u32, 3);
                    self.builder.create_sized_stack_slot(data)
                };
                *self.angles.insert((slot(n), slot(2 * n), n))
            }
        };
        for (i, statement) in statements.iter().enumerate() {
            let value = self.expression(statement.value());
            self.builder.ins().stack_store(value, angles, 8 * i as i32);
        }
        let function = self.function(std::mem::offset_of!(Functions, sin_cos_each));
        let [from, to] = [angles, pairs].map(|slot| self.builder.ins().stack_addr(I64, slot, 0));
        let count = self.builder.ins().iconst(I64, n as i64);
        self.builder.ins().call_indirect(self.signatures.sin_cos_each, function, &[from, to, count]);
        for (i, statement) in statements.iter().enumerate() {
            if let Statement::SinCos { sine, cosine, .. } = *statement {
                for (k, local) in [sine, cosine].into_iter().enumerate() {
                    let offset = 8 * (2 * i + k) as i32;
                    self.locals[local] = Some(self.builder.ins().stack_load(F64, pairs, offset));
                }
            }
        }
    }

    fn expression(&mut self, expression: &Expression) -> Value {
        match expression {
            Expression::Number(number) => {
                let value = f64::from_number(*number);
                self.builder.ins().f64const(value)
            }
            Expression::Argument(argument) => self.argument(*argument),
            // A temporary is computed before it is read.
            Expression::Local(local) => {
                self.locals[*local].unwrap_or_else(|| unreachable!("a temporary without value"))
            }
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
                self.builder.ins().select(is_less, then, otherwise)
            }
        }
    }

    fn unary(&mut self, index: usize, argument: Value) -> Value {
        let function = self.function(std::mem::offset_of!(Functions, unary) + 8 * index);
        let call = self.builder.ins().call_indirect(self.signatures.unary, function, &[argument]);
        self.builder.inst_results(call)[0]
    }

    fn binary(&mut self, index: usize, a: Value, b: Value) -> Value {
        let function = self.function(std::mem::offset_of!(Functions, binary) + 8 * index);
        let call = self.builder.ins().call_indirect(self.signatures.binary, function, &[a, b]);
        self.builder.inst_results(call)[0]
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
