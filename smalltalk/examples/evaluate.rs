//! Executes each argument in a fresh image with a store in memory, and prints its value or what went wrong.

use smalltalk::memory_store::MemoryStore;
use smalltalk::{ExecutionError, Image, SessionFacts};
use std::error::Error;
use std::time::{Duration, Instant};

/// How long one argument may take.
const TIME: Duration = Duration::from_secs(30);

fn main() -> Result<(), Box<dyn Error>> {
    let mut image = Image::boot()?;
    image.freeze()?;
    let (store, overlays) = MemoryStore::new().open();
    let view = store.view();
    let session = SessionFacts { user: "DataCurator".to_owned(), session: 1, stone: "memory".to_owned() };
    image.attach(Box::new(store), session, overlays, 0..0, view)?;
    for source in std::env::args().skip(1) {
        match image.execute(&source, Instant::now() + TIME) {
            Ok(value) => println!("{value}"),
            Err(error) => print_error(&error),
        }
    }
    Ok(())
}

fn print_error(error: &ExecutionError) {
    println!("{:?} {}: {}", error.kind, error.class, error.message);
    for frame in &error.frames {
        println!("    {frame}");
    }
}
