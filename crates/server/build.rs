//! Has the page looked at anew once it is built: what is embedded was looked for when this was compiled.

fn main() {
    let dist = std::path::Path::new("../../ui/dist");
    // Before it is there, whatever of the page changes may have brought it.
    let watched = if dist.is_dir() {
        dist
    } else {
        std::path::Path::new("../../ui")
    };
    println!("cargo:rerun-if-changed={}", watched.display());
}
