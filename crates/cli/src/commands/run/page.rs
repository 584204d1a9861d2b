//! The flag for the web page.

use super::http::Listen;
use crate::{operator::WebPage, output::Error};
use clap::Args;

/// The flag for the web page.
#[derive(Debug, Args)]
#[command(next_help_heading = "Observability")]
pub struct PageArgs {
    /// Address of a read-only web page about all reconciled objects: IP:PORT, :PORT or off
    ///
    /// There is no login: every client that reaches the address can read the page. On 127.0.0.1, these are users who may
    /// `kubectl port-forward` to the pod. The page never shows values of Secrets.
    #[arg(long, value_name = "ADDRESS", env = "HARBOR_OPERATOR_PAGE_ADDRESS", default_value_t = Listen::Off)]
    page_address: Listen,
}

impl PageArgs {
    /// The page, if it is enabled.
    pub async fn page(&self) -> Result<Option<WebPage>, Error> {
        let Some(listener) = self.page_address.bind("--page-address").await? else { return Ok(None) };
        let page = WebPage::on(listener).map_err(|error| Error::Run(error.to_string()))?;
        if !page.address().ip().is_loopback() {
            tracing::warn!(address = %page.address(), "the web page has no login and can be reached from other machines");
        }
        tracing::info!(url = page.url(), "serving the web page");
        Ok(Some(page))
    }
}
