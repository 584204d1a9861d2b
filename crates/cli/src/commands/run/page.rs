//! Whether `run` serves the web page, and where.

use super::http::Listen;
use crate::{operator::WebPage, output::Error};
use clap::Args;

/// Whether and where the web page is served.
#[derive(Debug, Args)]
#[command(next_help_heading = "Seeing into it")]
pub struct PageFlags {
    /// Where to serve a read-only web page about everything that is looked after here: IP:PORT, :PORT or off
    ///
    /// There is no login: whoever reaches the address may look. On 127.0.0.1 that is who may `kubectl port-forward` to the
    /// pod. No value of a Secret is ever shown.
    #[arg(long, value_name = "ADDRESS", env = "HARBOR_OPERATOR_PAGE_ADDRESS", default_value_t = Listen::Off)]
    page_address: Listen,
}

impl PageFlags {
    /// The page, if there is to be one.
    pub async fn page(&self) -> Result<Option<WebPage>, Error> {
        let Some(listener) = self.page_address.bind("--page-address").await? else { return Ok(None) };
        let page = WebPage::on(listener).map_err(|error| Error::Run(error.to_string()))?;
        if !page.address().ip().is_loopback() {
            tracing::warn!(address = %page.address(), "the web page has no login and can be reached from other machines");
        }
        tracing::info!(url = page.url(), "the web page is served");
        Ok(Some(page))
    }
}
