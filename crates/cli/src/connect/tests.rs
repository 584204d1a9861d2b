use super::connect_to;
use kube::Config;
use tokio::net::TcpListener;

/// Time does not pass: it jumps to the next deadline when nothing else can happen.
#[tokio::test(start_paused = true)]
async fn a_server_that_never_answers_is_given_up() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    for scheme in ["http", "https"] {
        let config = Config::new(format!("{scheme}://user:password@{address}/").parse().unwrap());
        let error = connect_to(config).await.err().map(|error| error.to_string());
        let expected = format!(
            "{scheme}://{address}: did not answer within 10 s; check the address, and that no firewall is in between"
        );
        assert_eq!(error, Some(expected));
    }
}
