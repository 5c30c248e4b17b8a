//! The one way out of a sandbox: a proxy in Collie that opens connections to the hosts that are named, and to no other.
//!
//! It does not look into what is encrypted: a host is told by the name that the program asks for, and that name is looked up here.

use crate::allowed_hosts::HostPattern;
use crate::refused_hosts::{RefusedHost, RefusedHosts};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::http1 as client;
use hyper::header::{CONNECTION, HOST, HeaderValue};
use hyper::server::conn::http1 as server;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode, Uri};
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::proxy::Tunnel;
use hyper_util::client::proxy::matcher::Matcher;
use hyper_util::rt::TokioIo;
use std::collections::BTreeSet;
use std::convert::Infallible;
use std::error::Error;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::io::copy_bidirectional;
use tokio::net::{TcpStream, UnixListener, UnixStream};
use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinSet;
use tokio::time::timeout;
use tower_service::Service as _;

/// How long a host may take to accept a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(30);
const HTTP_PORT: u16 = 80;
/// Connections of one program at a time.
const MAX_CONNECTIONS: usize = 256;
/// Hosts of one program that are reported as refused.
const MAX_REPORTED: usize = 100;

type Body = BoxBody<Bytes, hyper::Error>;

/// A proxy at work; it ends when this is dropped.
#[derive(Debug)]
pub(crate) struct Proxy {
    _task: JoinSet<()>,
    refused: Option<RefusedHosts>,
}

/// What every connection goes by.
pub(crate) struct Rules {
    allowed: Vec<HostPattern>,
    /// The user's own proxy, which stands between this machine and the network.
    upstream: Matcher,
    reported: Mutex<BTreeSet<RefusedHost>>,
    report: mpsc::UnboundedSender<RefusedHost>,
}

impl Proxy {
    /// Serves whoever connects to the socket.
    pub(crate) fn serve(listener: UnixListener, allowed: Vec<HostPattern>) -> Self {
        let (rules, refused) = Rules::new(allowed, Matcher::from_env());
        let mut task = JoinSet::new();
        task.spawn(accept_all(listener, Arc::new(rules)));
        Self {
            _task: task,
            refused: Some(refused),
        }
    }

    /// What is refused, once.
    pub(crate) fn refused_hosts(&mut self) -> Option<RefusedHosts> {
        self.refused.take()
    }
}

async fn accept_all(listener: UnixListener, rules: Arc<Rules>) {
    let slots = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    let mut connections = JoinSet::new();
    loop {
        while connections.try_join_next().is_some() {}
        let Ok(slot) = slots.clone().acquire_owned().await else {
            return;
        };
        match listener.accept().await {
            Ok((stream, _)) => {
                let rules = rules.clone();
                connections.spawn(async move {
                    serve_connection(stream, rules).await;
                    drop(slot);
                });
            }
            // No descriptor is left: the connections that there are give some back.
            Err(_) => tokio::time::sleep(Duration::from_millis(100)).await,
        }
    }
}

pub(crate) async fn serve_connection(stream: UnixStream, rules: Arc<Rules>) {
    let onward = Onward::default();
    let service =
        service_fn(async |request| Ok::<_, Infallible>(rules.answer(request, &onward).await));
    let served = server::Builder::new()
        .preserve_header_case(true)
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades()
        .await;
    if let Err(error) = served {
        tracing::debug!(%error, "a connection out of the sandbox broke off");
    }
    // They outlive the requests that asked for them.
    let onward = onward.0.into_inner();
    onward
        .unwrap_or_else(PoisonError::into_inner)
        .join_all()
        .await;
}

/// What one connection from inside has going on to hosts. It ends with the connection, and with the proxy.
#[derive(Default)]
struct Onward(Mutex<JoinSet<()>>);

impl Onward {
    fn spawn(&self, transfer: impl Future<Output = ()> + Send + 'static) {
        let mut transfers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        while transfers.try_join_next().is_some() {}
        transfers.spawn(transfer);
    }
}

impl Rules {
    /// With what it refuses.
    pub(crate) fn new(allowed: Vec<HostPattern>, upstream: Matcher) -> (Self, RefusedHosts) {
        let (report, refused) = mpsc::unbounded_channel();
        let rules = Self {
            allowed,
            upstream,
            reported: Mutex::default(),
            report,
        };
        (rules, RefusedHosts(refused))
    }

    async fn answer(&self, request: Request<Incoming>, onward: &Onward) -> Response<Body> {
        let Some(target) = target(&request) else {
            return refusal(StatusCode::BAD_REQUEST, "this is a proxy: name a host");
        };
        let (host, port) = (
            target.host().unwrap_or_default(),
            target.port_u16().unwrap_or(0),
        );
        if !self
            .allowed
            .iter()
            .any(|pattern| pattern.admits(host, port))
        {
            self.report(host, port);
            let words = format!("{host}:{port} is not among the hosts that this program may reach");
            return refusal(StatusCode::FORBIDDEN, &words);
        }
        let stream = match timeout(CONNECT_TIMEOUT, self.connect(target)).await {
            Ok(Ok(stream)) => stream,
            Ok(Err(error)) => return refusal(StatusCode::BAD_GATEWAY, &error.to_string()),
            Err(_) => return refusal(StatusCode::GATEWAY_TIMEOUT, "the host does not answer"),
        };
        if request.method() == Method::CONNECT {
            onward.spawn(tunnel(request, stream));
            return Response::new(Full::default().map_err(|never| match never {}).boxed());
        }
        match forward(request, stream, onward).await {
            Ok(response) => response.map(http_body_util::BodyExt::boxed),
            Err(error) => refusal(StatusCode::BAD_GATEWAY, &error.to_string()),
        }
    }

    /// A connection to the host, through the user's own proxy where they have one.
    async fn connect(
        &self,
        target: Uri,
    ) -> Result<TokioIo<TcpStream>, Box<dyn Error + Send + Sync>> {
        let mut connector = HttpConnector::new();
        connector.enforce_http(false);
        let Some(proxy) = self.upstream.intercept(&target) else {
            return Ok(connector.call(target).await?);
        };
        let mut tunnel = Tunnel::new(proxy.uri().clone(), connector);
        if let Some(login) = proxy.basic_auth() {
            tunnel = tunnel.with_auth(login.clone());
        }
        Ok(tunnel.call(target).await?)
    }

    fn report(&self, host: &str, port: u16) {
        let refused = RefusedHost {
            host: host.to_owned(),
            port,
        };
        let mut reported = self.reported.lock().unwrap_or_else(PoisonError::into_inner);
        if reported.len() < MAX_REPORTED && reported.insert(refused.clone()) {
            // Nobody may listen any more.
            let _ = self.report.send(refused);
        }
    }
}

/// Where a request goes, with scheme and port: `CONNECT host:port`, or `GET http://host/…`.
fn target(request: &Request<Incoming>) -> Option<Uri> {
    let uri = request.uri();
    let (scheme, authority) = if request.method() == Method::CONNECT {
        uri.port()?;
        ("https", uri.authority()?.to_string())
    } else {
        (uri.scheme_str() == Some("http")).then_some(())?;
        let port = uri.port_u16().unwrap_or(HTTP_PORT);
        ("http", format!("{}:{port}", uri.host()?))
    };
    let whole = Uri::builder().scheme(scheme).authority(authority);
    whole.path_and_query("/").build().ok()
}

async fn tunnel(request: Request<Incoming>, stream: TokioIo<TcpStream>) {
    match hyper::upgrade::on(request).await {
        Ok(upgraded) => {
            // Either end may break off, and that is the end of it.
            let _ = copy_bidirectional(&mut TokioIo::new(upgraded), &mut stream.into_inner()).await;
        }
        Err(error) => tracing::debug!(%error, "a tunnel out of the sandbox was not taken up"),
    }
}

/// Sends one request on, as its host reads it.
async fn forward(
    mut request: Request<Incoming>,
    stream: TokioIo<TcpStream>,
    onward: &Onward,
) -> hyper::Result<Response<Incoming>> {
    let (mut sender, connection) = client::handshake(stream).await?;
    // It ends with the answer's last byte; until then the answer's body drives it.
    onward.spawn(async move {
        if let Err(error) = connection.await {
            tracing::debug!(%error, "a request out of the sandbox broke off");
        }
    });
    if let Some(authority) = request.uri().authority().cloned()
        && let Ok(host) = HeaderValue::from_str(authority.as_str())
    {
        request.headers_mut().insert(HOST, host);
    }
    for header in ["proxy-connection", "proxy-authorization"] {
        request.headers_mut().remove(header);
    }
    let path = request.uri().path_and_query().cloned();
    *request.uri_mut() = path.map_or_else(Uri::default, Uri::from);
    sender.send_request(request).await
}

fn refusal(status: StatusCode, words: &str) -> Response<Body> {
    let body = Full::from(format!("Collie: {words}\n")).map_err(|never| match never {});
    let mut response = Response::new(body.boxed());
    *response.status_mut() = status;
    let close = HeaderValue::from_static("close");
    response.headers_mut().insert(CONNECTION, close);
    response
}
