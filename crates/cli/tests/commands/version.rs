use crate::run::Folder;
use serde_json::Value;

#[test]
fn the_version_names_the_harbors_it_can_run() {
    let ran = Folder::empty().run("version");
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    let first = concat!("harbor-operator ", env!("CARGO_PKG_VERSION"), "\n");
    assert!(
        ran.stdout.starts_with(first) && ran.stdout.contains("\nHarbor          2.5 to 2.15\n"),
        "{}",
        ran.stdout
    );
}

#[test]
fn programs_can_read_the_version() {
    let ran = Folder::empty().run("version --output json");
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    let version: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(version["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!((&version["harbor"]["oldest"], &version["harbor"]["newest"]), (&"2.5".into(), &"2.15".into()));
    assert!(version["target"].as_str().unwrap().starts_with(std::env::consts::ARCH), "{version}");
}

#[test]
fn every_shell_gets_a_completion_script() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let ran = Folder::empty().run(&format!("completions {shell}"));
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{shell}");
        assert!(ran.stdout.contains("completions") && ran.stdout.contains("status"), "{shell}");
    }
}

#[test]
fn every_example_in_a_help_text_can_be_parsed() {
    let folder = Folder::empty();
    for command in ["render", "graph", "plan", "status", "completions"] {
        let help = folder.run(&format!("{command} --help")).stdout;
        let (_, examples) = help.split_once("Examples:\n").expect(command);
        let ours =
            examples.lines().filter_map(|line| line.split_once("harbor-operator ").map(|(_, rest)| rest));
        let mut count = 0;
        for example in ours {
            let arguments = example.split(['|', '>', ')']).next().unwrap().trim();
            let ran = folder.run(&format!("{arguments} --help"));
            assert_eq!(ran.code, Some(0), "{arguments}: {}", ran.stderr);
            count += 1;
        }
        assert!(count > 1, "{command} has examples");
    }
}
