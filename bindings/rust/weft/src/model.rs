// SPDX-License-Identifier: Apache-2.0
//! Language models from GGUF files.

use std::ffi::CString;
use std::os::raw::{c_char, c_void};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::rc::Rc;

use weft_sys as sys;

use crate::error::{c_text, text};
use crate::{Context, Error, ErrorKind, Result};

struct RawModel {
    raw: *mut sys::weft_model,
    context: Context,
    _bytes: Option<Box<[u8]>>,
}

impl Drop for RawModel {
    fn drop(&mut self) {
        if self.context.0.process.is_current() {
            unsafe { sys::weft_model_release(self.raw) }
        }
    }
}

/// A language model on a device. Clones are the same model.
#[derive(Clone)]
pub struct Model(Rc<RawModel>);

/// What a model is.
#[derive(Clone, Debug)]
pub struct ModelInfo {
    pub architecture: String,
    pub name: String,
    pub parameters: u64,
    pub weight_bytes: u64,
    pub vocabulary: u32,
    pub context: u32,
    /// The length of an embedding.
    pub embedding: u32,
    pub layers: u32,
    /// False: it only embeds.
    pub generates: bool,
    pub device: String,
}

impl Model {
    /// Loads a file.
    pub fn open(context: &Context, path: &str) -> Result<Model> {
        let path = c_text(path)?;
        let mut desc: sys::weft_model_desc = sys::zeroed();
        desc.path = path.as_ptr();
        Model::create(context, desc, None)
    }

    /// Loads the bytes of a file, which are kept as long as the model.
    pub fn from_bytes(context: &Context, bytes: &[u8]) -> Result<Model> {
        let bytes: Box<[u8]> = bytes.into();
        let mut desc: sys::weft_model_desc = sys::zeroed();
        desc.data = bytes.as_ptr() as *const c_void;
        desc.size = bytes.len();
        Model::create(context, desc, Some(bytes))
    }

    /// Loads the bytes of a file onto the best device: a hardware GPU, else the CPU.
    pub fn new_with_gpu(bytes: &[u8]) -> Result<Model> {
        Model::from_bytes(&Context::new()?, bytes)
    }

    fn create(
        context: &Context,
        desc: sys::weft_model_desc,
        bytes: Option<Box<[u8]>>,
    ) -> Result<Model> {
        let ctx = context.raw()?;
        // Safety: the path lives until the call is over, the bytes as long as the model.
        let raw = context.0.check(unsafe { sys::weft_model_create(ctx, &desc) })?;
        Ok(Model(Rc::new(RawModel { raw, context: context.clone(), _bytes: bytes })))
    }

    pub fn info(&self) -> Result<ModelInfo> {
        self.0.context.raw()?;
        let mut i: sys::weft_model_info = sys::zeroed();
        // Safety: texts live as long as the model, and are copied.
        unsafe {
            self.0.context.0.check_ok(sys::weft_model_info_get(&mut i, self.0.raw))?;
            Ok(ModelInfo {
                architecture: text(i.architecture),
                name: text(i.name),
                parameters: i.parameters,
                weight_bytes: i.weight_bytes,
                vocabulary: i.vocabulary,
                context: i.context,
                embedding: i.embedding,
                layers: i.layers,
                generates: i.generates,
                device: text(i.device),
            })
        }
    }

    /// A session with room for that many positions; 0: the model's own number.
    pub fn session(&self, positions: u32) -> Result<Session> {
        self.0.context.raw()?;
        let mut desc: sys::weft_model_session_desc = sys::zeroed();
        desc.context = positions;
        let raw =
            self.0.context.0.check(unsafe { sys::weft_model_session_create(self.0.raw, &desc) })?;
        Ok(Session { raw, model: self.0.clone() })
    }
}

/// How to go on from a prompt.
#[derive(Clone, Debug, Default)]
pub struct Generate {
    /// 0: as many as there is room for.
    pub max_tokens: u32,
    /// `None`: 0.8; 0: the most likely token each time.
    pub temperature: Option<f32>,
    /// The same seed gives the same answer.
    pub seed: Option<u64>,
    /// Texts that end the answer.
    pub stop: Vec<String>,
}

/// An answer.
#[derive(Clone, Debug)]
pub struct Answer {
    pub text: String,
    /// "length", "end", "text", "caller", "cancelled" or "context".
    pub stop: &'static str,
    pub prompt_tokens: u32,
    pub tokens: u32,
}

/// `WEFT_MODEL_OFF`
const OFF: f32 = -1.0;

const STOPS: [&str; 7] = ["", "length", "end", "text", "caller", "cancelled", "context"];

/// A conversation with a model: it has the model's memory of what was said.
pub struct Session {
    raw: *mut sys::weft_model_session,
    model: Rc<RawModel>,
}

impl Drop for Session {
    fn drop(&mut self) {
        if self.model.context.0.process.is_current() {
            unsafe { sys::weft_model_session_release(self.raw) }
        }
    }
}

/// A closure that gets text, and what it panicked with.
struct Listener<'a> {
    call: &'a mut dyn FnMut(&str) -> bool,
    panic: Option<Box<dyn std::any::Any + Send>>,
}

unsafe extern "C" fn on_text(user: *mut c_void, piece: *const sys::weft_model_piece) -> bool {
    let listener = &mut *(user as *mut Listener<'_>);
    let piece = text((*piece).text);
    match catch_unwind(AssertUnwindSafe(|| (listener.call)(&piece))) {
        Ok(goes_on) => goes_on,
        Err(panic) => {
            listener.panic = Some(panic);
            false
        }
    }
}

impl Session {
    /// Goes on from a prompt.
    pub fn generate(&mut self, prompt: &str, options: &Generate) -> Result<Answer> {
        self.generate_with(prompt, options, |_| true)
    }

    /// The same; the closure gets the text as it comes, and stops it by returning false.
    pub fn generate_with(
        &mut self,
        prompt: &str,
        options: &Generate,
        mut call: impl FnMut(&str) -> bool,
    ) -> Result<Answer> {
        self.model.context.raw()?;
        let prompt = c_text(prompt)?;
        let stops = options.stop.iter().map(|s| c_text(s)).collect::<Result<Vec<CString>>>()?;
        let pointers: Vec<*const c_char> = stops.iter().map(|s| s.as_ptr()).collect();
        let mut listener = Listener { call: &mut call, panic: None };
        let mut desc: sys::weft_model_generate_desc = sys::zeroed();
        desc.max_tokens = options.max_tokens;
        desc.stop = pointers.as_ptr();
        desc.stop_count = pointers.len();
        desc.sampling.temperature = match options.temperature {
            Some(t) if t <= 0.0 => OFF,
            Some(t) => t,
            None => 0.0,
        };
        desc.sampling.seed = options.seed.unwrap_or(0);
        desc.sampling.seeded = options.seed.is_some();
        desc.on_text = Some(on_text);
        desc.user = &mut listener as *mut Listener<'_> as *mut c_void;
        let mut answer: sys::weft_model_answer = sys::zeroed();
        // Safety: the listener and the texts outlive the call.
        let ok = unsafe {
            sys::weft_model_session_generate(&mut answer, self.raw, prompt.as_ptr(), &desc)
        };
        let result = Answer {
            text: unsafe { text(answer.text) },
            stop: STOPS.get(answer.stop as usize).copied().unwrap_or(""),
            prompt_tokens: answer.prompt_tokens,
            tokens: answer.tokens,
        };
        unsafe { sys::weft_model_answer_fini(&mut answer) };
        if let Some(panic) = listener.panic {
            std::panic::resume_unwind(panic);
        }
        self.model.context.0.check_ok(ok)?;
        Ok(result)
    }

    /// Vectors of texts, each as long as the model's embedding.
    pub fn embed(&mut self, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
        let width = Model(self.model.clone()).info()?.embedding as usize;
        if width == 0 {
            return Err(Error::new(ErrorKind::Unsupported, "the model has no embedding"));
        }
        let texts = texts.iter().map(|t| c_text(t)).collect::<Result<Vec<CString>>>()?;
        let pointers: Vec<*const c_char> = texts.iter().map(|t| t.as_ptr()).collect();
        let mut out = vec![0.0f32; width * texts.len()];
        // Safety: out has a row for each text.
        let ok = unsafe {
            sys::weft_model_session_embed(
                out.as_mut_ptr(),
                self.raw,
                pointers.as_ptr(),
                pointers.len(),
                std::ptr::null(),
            )
        };
        self.model.context.0.check_ok(ok)?;
        Ok(out.chunks(width).map(|row| row.to_vec()).collect())
    }

    /// Forgets what was said.
    pub fn clear(&mut self) {
        if self.model.context.0.process.is_current() {
            unsafe { sys::weft_model_session_clear(self.raw) }
        }
    }
}
