//! Servos one at a time: see `herkulex_tool --help`.

fn main() -> std::process::ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match herkulex_node::tool::run(&args, &mut std::io::stdin().lock(), &mut std::io::stdout().lock()) {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("herkulex_tool: {e}");
            std::process::ExitCode::FAILURE
        }
    }
}
