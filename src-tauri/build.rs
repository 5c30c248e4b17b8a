//! Reads `tauri.conf.json`, and allows the page exactly what `capabilities/` says.

use tauri_build::{AppManifest, Attributes};

/// What `vite build` writes.
const UI: &str = "ui/dist";

fn main() {
    // The program can be checked before the UI was built; what it then shows is an empty window.
    if !std::path::Path::new(UI).join("index.html").exists() {
        println!(
            "cargo:warning={UI} holds no page: `npm start` and `npm run bundle` build the UI first"
        );
        std::fs::create_dir_all(UI).expect("a folder for the UI can be made");
    }
    println!("cargo:rerun-if-changed={UI}");
    let attributes = Attributes::new()
        .capabilities_path_pattern("src-tauri/capabilities/*.json")
        .app_manifest(AppManifest::new().permissions_path_pattern("src-tauri/permissions/*.toml"));
    tauri_build::try_build(attributes).expect("tauri.conf.json and the capabilities are sound");
}
