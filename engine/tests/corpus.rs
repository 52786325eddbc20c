//! Runs every input of the fuzz corpus.

use std::fs;
use std::path::Path;

#[path = "../fuzz/src/lib.rs"]
#[allow(unreachable_pub)] // they are a crate of their own, too
mod fuzz;

#[test]
fn corpus_passes() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus");
    for (name, run) in fuzz::TARGETS {
        let files: Vec<_> = fs::read_dir(corpus.join(name)).unwrap().map(|file| file.unwrap().path()).collect();
        assert!(!files.is_empty(), "{name}");
        for file in files {
            println!("{}", file.display()); // shown if it fails
            run(&fs::read(&file).unwrap());
        }
    }
}
