//! A user who looks at the page.

use crate::support::World;
use programs::Browser;
use serde_json::{Value, json};
use std::net::SocketAddr;
use tokio::{net::TcpListener, task::JoinHandle};
use tokio_util::sync::CancellationToken;

pub struct Visitor {
    pub world: World,
    browser: Browser,
    address: SocketAddr,
    serving: Option<JoinHandle<()>>,
}

impl Visitor {
    /// A page of this world on a free port, and a browser.
    pub async fn of(world: World) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let browser = tokio::task::block_in_place(|| Browser::start().unwrap());
        let mut visitor = Self { world, browser, address, serving: None };
        visitor.serve(listener);
        visitor
    }

    fn serve(&mut self, listener: TcpListener) {
        let page = self.world.page();
        self.serving = Some(tokio::spawn(async move { page.serve(listener).await.unwrap() }));
    }

    /// Stops the page.
    pub async fn stop(&mut self) {
        self.world.stop.cancel();
        self.serving.take().unwrap().await.unwrap();
    }

    /// Starts it where it was.
    pub async fn start(&mut self) {
        self.world.stop = CancellationToken::new();
        let listener = TcpListener::bind(self.address).await.unwrap();
        self.serve(listener);
    }

    pub fn go(&mut self, path: &str) {
        let url = format!("http://{}{path}", self.address);
        tokio::task::block_in_place(|| self.browser.go(&url).unwrap());
    }

    pub fn value(&mut self, expression: &str) -> Value {
        tokio::task::block_in_place(|| self.browser.value(expression).unwrap())
    }

    pub fn until(&mut self, expression: &str) {
        tokio::task::block_in_place(|| self.browser.until(expression).unwrap());
    }

    pub fn press(&mut self, key: &str, code: u32) {
        tokio::task::block_in_place(|| self.browser.press(key, code).unwrap());
    }

    pub fn call(&mut self, method: &str, params: Value) -> Value {
        tokio::task::block_in_place(|| self.browser.call(method, params).unwrap())
    }

    /// The document as the browser has it, also where scripts are off.
    pub fn html(&mut self) -> String {
        let document = self.call("DOM.getDocument", json!({}));
        let html = self.call("DOM.getOuterHTML", json!({"nodeId": document["root"]["nodeId"]}));
        html["outerHTML"].as_str().unwrap().to_owned()
    }

    /// How many elements there are of this description.
    pub fn elements(&mut self, selector: &str) -> usize {
        let document = self.call("DOM.getDocument", json!({}));
        let params = json!({"nodeId": document["root"]["nodeId"], "selector": selector});
        self.call("DOM.querySelectorAll", params)["nodeIds"].as_array().unwrap().len()
    }

    /// That nothing was asked of others, and that neither a script nor a policy complained.
    pub fn assert_quiet(&mut self) {
        let ours = format!("http://{}/", self.address);
        let requests = self.browser.happened("Network.requestWillBeSent");
        let addresses: Vec<_> =
            requests.iter().filter_map(|request| request["request"]["url"].as_str()).collect();
        assert!(
            !addresses.is_empty() && addresses.iter().all(|url| url.starts_with(&ours)),
            "{addresses:#?}"
        );
        // That an object is not known is an answer, and the browser notes it as if it were a mistake.
        let not_found =
            |entry: &Value| entry["entry"]["text"].as_str().is_some_and(|text| text.contains("404"));
        let logged = self.browser.happened("Log.entryAdded");
        let logged: Vec<_> = logged.iter().filter(|entry| !not_found(entry)).collect();
        assert_eq!(logged, Vec::<&Value>::new());
        assert_eq!(self.browser.happened("Runtime.consoleAPICalled"), Vec::<Value>::new());
        assert_eq!(self.browser.happened("Runtime.exceptionThrown"), Vec::<Value>::new());
    }
}
