fn main() {
    // TODO: say hello
}
