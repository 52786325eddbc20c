//! Every input that the fuzz targets have kept, run again.

use std::fs;
use std::path::Path;

#[path = "../fuzz/src/lib.rs"]
mod fuzz;

#[test]
fn no_input_that_was_kept_fails() {
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
