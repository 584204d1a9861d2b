//! A headless browser, controlled through its debugging protocol.

use crate::{
    error::Failure,
    program::{cached, clean, set},
    site::Site,
};
use serde_json::{Value, json};
use std::{
    io::{BufRead as _, BufReader, Write as _},
    os::unix::process::CommandExt as _,
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc::{Receiver, RecvTimeoutError, channel},
    thread,
    time::Duration,
};

/// Long enough for a machine that compiles on all cores.
const TIMEOUT: Duration = Duration::from_mins(1);

/// One page of a browser. Records its events: requests, messages of the console, violations of policies.
///
/// The browser ends when this is dropped, and when the test's process ends, because both close its pipe.
#[derive(Debug)]
pub struct Browser {
    process: Child,
    commands: Option<ChildStdin>,
    messages: Receiver<Value>,
    sent: u64,
    session: Option<String>,
    happened: Vec<Value>,
    site: Site,
}

impl Browser {
    /// Starts a browser with an empty page.
    pub fn start() -> Result<Self, Failure> {
        let path = set("HARBOR_BROWSER").unwrap_or_else(|| cached("browser").join("chromium"));
        if !path.exists() {
            return Err(Failure::NoBrowser { path });
        }
        let site = Site::new()?;
        // The protocol uses the file descriptors 3 and 4, which only a shell can set without unsafe code.
        let pipes = r#"exec "$@" 3<&0 4>&1 0</dev/null 1>program.log 2>&1"#;
        let mut process = clean(Command::new("sh"))
            .args(["-c", pipes, "browser"])
            .arg(path)
            .args(["--headless", "--remote-debugging-pipe", "--no-first-run", "--hide-scrollbars"])
            // Its own sandbox needs privileges that containers lack, and it only loads pages of the test.
            .args(["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"])
            .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
            .arg(format!("--user-data-dir={}", site.folder().join("profile").display()))
            .arg("about:blank")
            .env("HOME", site.folder())
            .current_dir(site.folder())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .map_err(|source| Failure::file(site.folder())(source))?;
        let (sender, messages) = channel();
        if let Some(answers) = process.stdout.take() {
            thread::spawn(move || {
                let texts = BufReader::new(answers).split(0).map_while(Result::ok);
                let values = texts.filter_map(|text| serde_json::from_slice::<Value>(&text).ok());
                // Ends when the receiver is dropped.
                let _ = values.map(|value| sender.send(value)).find(Result::is_err);
            });
        }
        let commands = process.stdin.take();
        let mut browser =
            Self { process, commands, messages, sent: 0, session: None, happened: Vec::new(), site };
        browser.attach()?;
        Ok(browser)
    }

    fn attach(&mut self) -> Result<(), Failure> {
        let created = self.call("Target.createTarget", json!({"url": "about:blank"}))?;
        let attached =
            self.call("Target.attachToTarget", json!({"targetId": created["targetId"], "flatten": true}))?;
        self.session = attached["sessionId"].as_str().map(Into::into);
        for domain in ["Page", "Network", "Runtime", "Log", "DOM"] {
            self.call(&format!("{domain}.enable"), json!({}))?;
        }
        Ok(())
    }

    /// Sends a command of the protocol, and returns the browser's answer.
    pub fn call(&mut self, method: &str, params: Value) -> Result<Value, Failure> {
        self.sent += 1;
        let mut command = json!({"id": self.sent, "method": method, "params": params});
        if let Some(session) = &self.session {
            command["sessionId"] = session.as_str().into();
        }
        let id = self.sent;
        let written = self.commands.as_mut().map(|pipe| {
            pipe.write_all(command.to_string().as_bytes())
                .and_then(|()| pipe.write_all(&[0]))
                .and_then(|()| pipe.flush())
        });
        if !matches!(written, Some(Ok(()))) {
            return Err(self.problem(method, "it has ended"));
        }
        let answer = self.next(method, |message| message["id"] == id)?;
        match answer.get("error") {
            Some(error) => Err(self.problem(method, error["message"].as_str().unwrap_or("refused"))),
            None => Ok(answer["result"].clone()),
        }
    }

    /// Navigates to a URL and waits until the page is loaded.
    pub fn go(&mut self, url: &str) -> Result<(), Failure> {
        self.call("Page.navigate", json!({"url": url}))?;
        self.next("Page.navigate", |message| message["method"] == "Page.loadEventFired")?;
        Ok(())
    }

    /// The value of an expression in the page. Awaits a promise.
    pub fn value(&mut self, expression: &str) -> Result<Value, Failure> {
        let params = json!({"expression": expression, "returnByValue": true, "awaitPromise": true});
        let answer = self.call("Runtime.evaluate", params)?;
        match answer.get("exceptionDetails") {
            Some(details) => Err(self.problem(expression, &details["exception"]["description"].to_string())),
            None => Ok(answer["result"]["value"].clone()),
        }
    }

    /// Waits until an expression is true in the page.
    pub fn until(&mut self, expression: &str) -> Result<(), Failure> {
        let seconds = TIMEOUT.as_secs() / 2;
        let promise = format!(
            "new Promise((resolve, reject) => {{
                const end = Date.now() + {seconds}000;
                const look = () => ({expression}) ? resolve(true)
                    : Date.now() > end ? reject(new Error('not after {seconds} s: ' + document.body.innerText))
                    : setTimeout(look, 20);
                look();
            }})"
        );
        self.value(&promise).map(drop)
    }

    /// Presses a key, such as `Tab`.
    pub fn press(&mut self, key: &str, code: u32) -> Result<(), Failure> {
        for kind in ["rawKeyDown", "keyUp"] {
            let params = json!({"type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code});
            self.call("Input.dispatchKeyEvent", params)?;
        }
        Ok(())
    }

    /// The parameters of all events of a kind so far, such as `Network.requestWillBeSent`.
    pub fn happened(&mut self, method: &str) -> Vec<Value> {
        self.happened.extend(self.messages.try_iter());
        let events = self.happened.iter().filter(|event| event["method"] == method);
        events.map(|event| event["params"].clone()).collect()
    }

    fn next(&mut self, method: &str, wanted: impl Fn(&Value) -> bool) -> Result<Value, Failure> {
        loop {
            match self.messages.recv_timeout(TIMEOUT) {
                Ok(message) if wanted(&message) => return Ok(message),
                Ok(message) => self.happened.push(message),
                Err(RecvTimeoutError::Timeout) => return Err(self.problem(method, "no answer")),
                Err(RecvTimeoutError::Disconnected) => return Err(self.problem(method, "it has ended")),
            }
        }
    }

    fn problem(&self, method: &str, problem: &str) -> Failure {
        let log = std::fs::read_to_string(self.site.folder().join("program.log")).unwrap_or_default();
        Failure::Browser { method: method.to_owned(), problem: format!("{problem}\n{log}") }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // It ends when its pipe is closed. Only then can its files be removed.
        drop(self.commands.take());
        let _ = self.process.wait();
    }
}
