//! A server that records requests and always gives the same response.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
};

/// Stands in for a storage service: the requests of a program show how it is configured.
pub struct Recorder {
    port: u16,
    requests: Arc<Mutex<Vec<Asked>>>,
}

/// A request.
#[derive(Clone, Debug)]
pub struct Asked {
    /// Method and path, with the query.
    pub line: String,
    pub headers: String,
    pub body: String,
}

impl Recorder {
    /// A server that answers every request with this status line, these headers and this body, until the test's
    /// process ends.
    pub fn start(status: &'static str, media_type: &'static str, body: &'static str) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let recorded = Arc::clone(&requests);
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                // A closed connection is not a request.
                let Some(asked) = asked(&stream) else { continue };
                recorded.lock().unwrap().push(asked);
                let length = body.len();
                let answer = format!(
                    "HTTP/1.1 {status}\r\nContent-Type: {media_type}\r\nContent-Length: {length}\r\n\
                     Connection: close\r\n\r\n{body}"
                );
                let _ = (&stream).write_all(answer.as_bytes());
            }
        });
        Self { port, requests }
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    /// The requests so far.
    pub fn requests(&self) -> Vec<Asked> {
        self.requests.lock().unwrap().clone()
    }
}

fn asked(stream: &TcpStream) -> Option<Asked> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
    let mut headers = String::new();
    while !headers.ends_with("\r\n\r\n") && headers != "\r\n" {
        reader.read_line(&mut headers).ok().filter(|read| *read > 0)?;
    }
    let length = headers.to_lowercase().lines().find_map(|header| {
        header.strip_prefix("content-length:").and_then(|length| length.trim().parse().ok())
    });
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body).ok()?;
    let line = line.trim_end().trim_end_matches(" HTTP/1.1").to_owned();
    Some(Asked { line, headers, body: String::from_utf8_lossy(&body).into_owned() })
}
