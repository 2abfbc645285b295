//! Streamable HTTP: heads, bodies, status codes and streams of events.
//!
//! It knows nothing of tools or of processes: what a request means is for [`crate::core`] to say.

pub(crate) mod admit;
mod body;
mod cors;
mod endpoint;
mod guard;
mod hangup;
mod listen;
mod spelling;
pub(crate) mod sse;
mod stall;

use crate::core::shared::Core;
use crate::transport::Transport;
use endpoint::Endpoint;
use listen::Connections;
use spelling::Spelling;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;

/// What an operator says of it.
#[derive(Debug)]
pub(crate) struct HttpSettings {
    /// The port.
    pub(crate) port: u16,
    /// Origins that are allowed beside loopback ones.
    pub(crate) origins: Vec<String>,
    /// Most connections at once.
    pub(crate) connections_max: usize,
    /// How long a client may hear nothing of what it waits for.
    pub(crate) keep_alive: Duration,
}

/// HTTP on one port.
#[derive(Debug)]
pub(crate) struct Http {
    settings: HttpSettings,
    listener: Option<TcpListener>,
    connections: Arc<Connections>,
}

impl Http {
    /// Opens the port; nothing is accepted yet.
    pub(crate) async fn bind(settings: HttpSettings) -> io::Result<Self> {
        let listener = listen::bind(settings.port).await?;
        let connections = Arc::new(Connections::new(settings.connections_max));
        Ok(Self { settings, listener: Some(listener), connections })
    }

    /// The URL of the endpoint.
    pub(crate) fn url(&self) -> io::Result<String> {
        let listener = self.listener.as_ref().ok_or_else(|| io::Error::other("the port is closed already"))?;
        Ok(format!("http://{}/mcp", listener.local_addr()?))
    }
}

impl Transport for Http {
    async fn serve(&mut self, core: Arc<Core>) {
        let Some(listener) = self.listener.take() else { return };
        let HttpSettings { origins, keep_alive, .. } = &self.settings;
        let spelling = Spelling::learn().await;
        let endpoint = Arc::new(Endpoint { origins: origins.clone(), core, keep_alive: *keep_alive, spelling });
        self.connections.accept(listener, endpoint).await;
    }

    async fn close(&mut self) {
        self.connections.closed().await;
    }
}
