//! The binary `ns`.

fn main() {
    neuroscript::cli::main()
}
