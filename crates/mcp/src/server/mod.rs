//! The rmcp server handler: lists the offer and executes calls. Scripts are followed in [`scripts`], and most calls
//! bypass rmcp through [`direct`].

mod client_roots;
mod direct;
mod log;
mod resources;
mod scripts;
#[cfg(target_os = "linux")]
mod watching;
mod work;

use std::borrow::Cow;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use rmcp::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult, ErrorData, GetPromptRequestParams,
    GetPromptResponse, Implementation, InitializeRequestParams, InitializeResult, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ProgressNotificationParam, ProgressToken, ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse,
    ServerConfig, Tool,
};
use rmcp::service::{NotificationContext, RequestContext, RoleServer};
use serde_json::json;
use tokio::runtime::Handle;

use crate::engine::Options;

use super::ask::{Asker, Later, Live, RememberedReplies, answer_in, can_ask_form};
use super::connection_state::ConnectionState;
use super::engine_thread::{EngineHandle, Job};
use super::logging::LogQueue;
use super::offer::Offer;
use super::progress::CurrentProgress;
#[cfg(target_os = "linux")]
use super::subscriptions::Subscriptions;
use super::wire::ConnectionHandle;
use super::worker::Workers;

use client_roots::ClientRoots;
use direct::DirectCalls;
use resources::Extras;
use scripts::ScriptCall;
pub use scripts::Scripts;
use work::{result, work};

/// Interval between progress notifications.
const PERIOD: Duration = Duration::from_millis(250);

/// The server of one connection.
pub struct Server {
    parts: Parts,
    standing: RememberedReplies,
    roots: ClientRoots,
    /// Executes calls without rmcp, if there is a single connection.
    direct: Option<Arc<DirectCalls>>,
    log: LogQueue,
    extras: Extras,
    #[cfg(target_os = "linux")]
    subscriptions: Subscriptions,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.log.end();
        #[cfg(target_os = "linux")]
        self.subscriptions.end();
    }
}

/// The components of a server.
#[derive(Clone)]
pub struct Parts {
    /// The handle to the engine thread.
    pub engine: EngineHandle,
    /// The offer.
    pub offer: Arc<Offer>,
    /// Instructions for the model about the server as a whole.
    pub instructions: String,
    /// Progress of the current call.
    pub watched: CurrentProgress,
    /// Starts workers.
    pub workers: Workers,
    /// The scripts that are running.
    pub scripts: Arc<Scripts>,
    /// Options for opening the sandbox.
    pub options: Options,
    /// Whether the roots of the client restrict its calls.
    pub follows_roots: bool,
    /// The connection, if there is a single one.
    pub closing: Option<ConnectionHandle>,
    /// The calls of the client, if it came over HTTP.
    #[cfg(feature = "http")]
    pub traffic: Option<Arc<super::traffic::Traffic>>,
}

/// Cancels a job when dropped, that is, when its request is abandoned.
struct CancelOnDrop<'s>(&'s EngineHandle, Option<Job>);

impl Drop for CancelOnDrop<'_> {
    fn drop(&mut self) {
        if let Some(job) = self.1 {
            self.0.cancel(job);
        }
    }
}

impl Server {
    /// Creates the server of one client.
    pub fn new(parts: Parts) -> Server {
        let standing = RememberedReplies::default();
        let (log, extras) = (LogQueue::default(), Extras::of(&parts.offer));
        let direct = parts.closing.clone().map(|closing| {
            let direct = DirectCalls::new(&parts, standing.clone(), log.clone(), closing.clone());
            closing.set_direct(direct.clone());
            direct
        });
        Server {
            parts,
            standing,
            roots: ClientRoots::default(),
            direct,
            log,
            extras,
            #[cfg(target_os = "linux")]
            subscriptions: Subscriptions::default(),
        }
    }

    async fn called(&self, params: CallToolRequestParams, context: &RequestContext<RoleServer>) -> Called {
        let offered = self.parts.offer.find(&params.name).map_err(|why| ErrorData::invalid_params(why, None))?;
        self.unless_given_up(context, self.roots.wait()).await?;
        let arguments = params.arguments.unwrap_or_default();
        let answers = params.input_responses.map(|answers| json!(answers));
        let given = answer_in(answers.as_ref());
        if offered.is_script() {
            // Boxed, so that the futures of tool calls do not include the space for following a script.
            let call = ScriptCall { offered, arguments };
            return Box::pin(self.run_script(call, params.request_state, given, context)).await;
        }
        let asker = self.asker(context, params.request_state.zip(given));
        let reply = self.on_engine(context, work(offered, arguments, asker.clone())).await;
        if let Asker::Later(Later { pending, .. }) = &asker
            && let Some(asked) = pending.lock().unwrap_or_else(PoisonError::into_inner).take()
            && let Some(required) = asked.required(asked.mark())
        {
            return Ok(CallToolResponse::InputRequired(required));
        }
        let mut reply = reply?;
        self.log(context, std::mem::take(&mut reply.log)).await;
        Ok(CallToolResponse::Complete(result(reply)))
    }

    /// Returns the asker for a call.
    fn asker(&self, context: &RequestContext<RoleServer>, given: Option<(String, crate::engine::Reply)>) -> Asker {
        let can_ask = context.client_capabilities().is_some_and(|client| can_ask_form(&client));
        let asks_later = context.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28);
        let standing = self.standing.clone();
        match (can_ask, asks_later) {
            (false, _) => Asker::Nobody,
            (true, true) => Asker::Later(Later { given, pending: Arc::default(), standing }),
            (true, false) => Asker::Live(Live {
                runtime: Handle::current(),
                peer: context.peer.clone(),
                cancelled: context.ct.clone(),
                standing,
            }),
        }
    }

    /// Executes work on the engine thread; cancels it if the request is abandoned.
    async fn on_engine<T: Send + 'static>(
        &self,
        context: &RequestContext<RoleServer>,
        work: impl FnOnce(&mut ConnectionState) -> T + Send + 'static,
    ) -> Result<T, ErrorData> {
        let (job, answered) = self.parts.engine.give(work);
        let mut stopping = CancelOnDrop(&self.parts.engine, Some(job));
        let telling = self.tell_progress(job, context);
        tokio::select! {
            answered = answered => {
                stopping.1 = None;
                answered.map_err(|_| ErrorData::internal_error("the call was not done: the server ends", None))
            }
            () = self.given_up(context) => Err(cancelled()),
            never = telling => match never {},
        }
    }

    /// Waits until the request is cancelled or the connection is closed.
    async fn given_up(&self, context: &RequestContext<RoleServer>) {
        match &self.parts.closing {
            None => context.ct.cancelled().await,
            Some(closing) => tokio::select! {
                () = context.ct.cancelled() => {}
                () = closing.closed() => {}
            },
        }
    }

    /// Waits for something that a request needs. Returns an error if the request is abandoned before.
    async fn unless_given_up<T>(
        &self,
        context: &RequestContext<RoleServer>,
        needed: impl Future<Output = T>,
    ) -> Result<T, ErrorData> {
        tokio::select! {
            biased;
            () = self.given_up(context) => Err(cancelled()),
            needed = needed => Ok(needed),
        }
    }

    /// Sends notifications about the progress of a job, if the client requested them. Never returns.
    async fn tell_progress(&self, job: Job, context: &RequestContext<RoleServer>) -> std::convert::Infallible {
        let Some(token) = context.meta.get_progress_token() else { return std::future::pending().await };
        let mut last = 0;
        loop {
            tokio::time::sleep(PERIOD).await;
            let progress = self.parts.engine.during(job, || self.parts.watched.look()).flatten();
            if let Some((done, message)) = progress.filter(|(done, _)| *done > last) {
                last = done;
                self.notify(context, Some(token.clone()), done as f64, message).await;
            }
        }
    }

    async fn notify(
        &self,
        context: &RequestContext<RoleServer>,
        token: Option<ProgressToken>,
        done: f64,
        message: String,
    ) {
        if let Some(token) = token.filter(|_| !self.parts.closing.as_ref().is_some_and(ConnectionHandle::is_busy)) {
            let param = ProgressNotificationParam::new(token, done).with_message(message);
            // A client that misses a notification still gets the answer.
            let _ = context.peer.notify_progress(param).await;
        }
    }
}

type Called = Result<CallToolResponse, ErrorData>;

/// The answer to an abandoned request, which nobody receives.
fn cancelled() -> ErrorData {
    ErrorData::internal_error("the call was cancelled", None)
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let implementation = Implementation::new("neuroscript", env!("CARGO_PKG_VERSION")).with_title("NeuroScript");
        InitializeResult::new(self.extras.capabilities())
            .with_server_info(implementation)
            .with_instructions(self.parts.instructions.clone())
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        context.peer.set_peer_info(request.clone());
        let waits = request.capabilities.roots.is_some() && self.parts.follows_roots;
        self.roots.shake_hands(waits);
        if let Some(direct) = &self.direct {
            direct.shake_hands(&request, &context.peer, waits);
        }
        self.negotiate_initialize(&request)
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.log.open();
        self.roots.follow(&context.peer, &self.parts).await;
    }

    async fn on_roots_list_changed(&self, context: NotificationContext<RoleServer>) {
        self.roots.change();
        self.roots.follow(&context.peer, &self.parts).await;
    }

    async fn list_tools(
        &self,
        page: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        if page.is_some_and(|page| page.cursor.is_some()) {
            let message = "there is no page with this `cursor`: the first answer has all tools";
            return Err(ErrorData::invalid_params(message, None));
        }
        Ok(ListToolsResult::with_all_items(self.parts.offer.definitions()))
    }

    async fn list_resources(
        &self,
        page: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        self.resource_page(page, &context).await
    }

    async fn list_resource_templates(
        &self,
        page: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        self.templates(page, &context).await
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        self.resource(request, &context).await.map(ReadResourceResponse::Complete)
    }

    async fn list_prompts(
        &self,
        page: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        self.prompts(page)
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        self.prompt(&request).map(GetPromptResponse::Complete)
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        self.completion(request, &context).await
    }

    #[expect(deprecated, reason = "clients of older revisions have logging")]
    async fn set_level(
        &self,
        request: rmcp::model::SetLevelRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.set_log_level(&request, &context)
    }

    #[cfg(target_os = "linux")]
    async fn subscribe(
        &self,
        request: rmcp::model::SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.follow_resource(request.uri, &context).await
    }

    #[cfg(target_os = "linux")]
    async fn unsubscribe(
        &self,
        request: rmcp::model::UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.leave_resource(request.uri).await
    }

    #[cfg(target_os = "linux")]
    fn accepted_subscription_filter(
        &self,
        requested: &rmcp::model::SubscriptionFilter,
    ) -> Option<rmcp::model::SubscriptionFilter> {
        self.extras.has_resources.then(|| self.accepted(requested))
    }

    #[cfg(target_os = "linux")]
    async fn listen(&self, context: rmcp::service::SubscriptionContext) -> Result<(), ErrorData> {
        self.follow_stream(&context).await;
        Ok(())
    }

    fn get_tool(&self, _: &str) -> Option<Tool> {
        None
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Cow::Borrowed(ProtocolVersion::KNOWN_VERSIONS)
    }

    async fn call_tool(&self, request: CallToolRequestParams, context: RequestContext<RoleServer>) -> Called {
        #[cfg(feature = "http")]
        if let Some(traffic) = &self.parts.traffic
            && self.parts.offer.find(&request.name).is_ok()
        {
            let tool = request.name.clone();
            return traffic.follow(&tool, &context.ct, self.called(request, &context)).await;
        }
        self.called(request, &context).await
    }
}
