//! The handlers of resources, prompts, completions and the log level.

use rmcp::model::{
    CompleteRequestParams, CompleteResult, CompletionInfo, ErrorData, GetPromptRequestParams, GetPromptResult,
    ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, PaginatedRequestParams,
    ReadResourceRequestParams, ReadResourceResult, Reference, ServerCapabilities,
};
use rmcp::service::{RequestContext, RoleServer};

use super::super::connection_state::{ConnectionState, notes};
use super::super::logging::LogMessage;
use super::super::offer::Offer;
use super::super::prompts::{self, Values};
use super::super::resources::{self, Names, ResourceError};
use super::Server;

/// The features that a server offers besides tools.
#[derive(Clone, Copy, Debug)]
pub struct Extras {
    /// Whether files can be read as resources: if the tool that reads them is offered.
    pub has_resources: bool,
    /// Whether there are prompts: if scripts can be run.
    pub has_prompts: bool,
}

impl Extras {
    /// Determines what goes with an offer.
    pub fn of(offer: &Offer) -> Extras {
        let has = |wire: &str| offer.find(wire).is_ok();
        Extras { has_resources: has("read_file"), has_prompts: has("run_script") }
    }

    /// Returns the capabilities of the server.
    pub fn capabilities(self) -> ServerCapabilities {
        let is_watched = cfg!(target_os = "linux").then_some(true);
        let mut capabilities = ServerCapabilities::builder().enable_tools().build();
        capabilities.logging = Some(serde_json::Map::new());
        if self.has_resources {
            let mut served = rmcp::model::ResourcesCapability::default();
            (served.subscribe, served.list_changed) = (is_watched, is_watched);
            capabilities.resources = Some(served);
        }
        if self.has_prompts {
            capabilities.prompts = Some(rmcp::model::PromptsCapability::default());
        }
        if self.has_resources || self.has_prompts {
            capabilities.completions = Some(serde_json::Map::new());
        }
        capabilities
    }
}

impl Server {
    /// Does work of the engine for a request that is no call.
    pub(super) async fn look<T: Send + 'static>(
        &self,
        context: &RequestContext<RoleServer>,
        look: impl FnOnce(&mut ConnectionState) -> Result<T, Box<ResourceError>> + Send + 'static,
    ) -> Result<T, ErrorData> {
        self.unless_given_up(context, self.roots.wait()).await?;
        let looked = self.on_engine(context, |state| {
            let looked = look(state);
            let warnings = state.sandboxes.engines().flat_map(notes).collect::<Vec<String>>();
            (looked, warnings)
        });
        let (looked, warnings) = looked.await?;
        let warnings = warnings.iter().map(|warning| LogMessage::warning(warning));
        let refusal = looked.as_ref().err().map(|failed| failed.reply.log.clone()).unwrap_or_default();
        self.log(context, warnings.chain(refusal).collect()).await;
        looked.map_err(|failed| failed.error)
    }

    pub(super) async fn resource_page(
        &self,
        page: Option<PaginatedRequestParams>,
        context: &RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        self.need(self.extras.has_resources, "resources")?;
        let cursor = page.and_then(|page| page.cursor);
        let listed = self.look(context, move |state| resources::list(state, cursor.as_deref())).await?;
        #[cfg(target_os = "linux")]
        self.follow_list(listed.directories, context).await;
        Ok(listed.result)
    }

    pub(super) async fn templates(
        &self,
        page: Option<PaginatedRequestParams>,
        context: &RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        self.need(self.extras.has_resources, "resources")?;
        only_page(page)?;
        let templates = self.look(context, |state| Ok(resources::templates(state))).await?;
        Ok(ListResourceTemplatesResult::with_all_items(templates))
    }

    pub(super) async fn resource(
        &self,
        request: ReadResourceRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<ReadResourceResult, ErrorData> {
        self.need(self.extras.has_resources, "resources")?;
        let contents = self.look(context, move |state| resources::read(state, &request.uri)).await?;
        Ok(ReadResourceResult::new(vec![contents]))
    }

    pub(super) fn prompts(&self, page: Option<PaginatedRequestParams>) -> Result<ListPromptsResult, ErrorData> {
        self.need(self.extras.has_prompts, "prompts")?;
        only_page(page)?;
        Ok(ListPromptsResult::with_all_items(prompts::definitions()))
    }

    pub(super) fn prompt(&self, request: &GetPromptRequestParams) -> Result<GetPromptResult, ErrorData> {
        self.need(self.extras.has_prompts, "prompts")?;
        prompts::message(&request.name, request.arguments.as_ref().unwrap_or(&serde_json::Map::new()))
    }

    pub(super) async fn completion(
        &self,
        request: CompleteRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let CompleteRequestParams { r#ref, argument, .. } = request;
        // A prompt does not say which sandbox is meant.
        let mut sandbox = 0;
        let values = match r#ref {
            Reference::Prompt(prompt) => {
                self.need(self.extras.has_prompts, "prompts")?;
                prompts::values_of(&prompt.name, &argument.name)?
            }
            Reference::Resource(reference) => {
                self.need(self.extras.has_resources, "resources")?;
                let templates = self.look(context, |state| Ok(resources::templates(state))).await?;
                let known = templates.iter().position(|template| template.uri_template == reference.uri);
                let Some(number) = known.filter(|_| argument.name == resources::VARIABLE) else {
                    let listed = templates.iter().map(|template| format!("`{}`", template.uri_template));
                    let listed = listed.collect::<Vec<_>>().join(", ");
                    let message = format!("only `{}` of {listed} can be completed", resources::VARIABLE);
                    return Err(ErrorData::invalid_params(message, None));
                };
                sandbox = number;
                Values::Path
            }
            _ => return Err(ErrorData::invalid_params("only prompts and resource templates can be completed", None)),
        };
        let Names { paths, total } = match values {
            Values::Text => Names::default(),
            Values::Truth => Names::of(["false", "true"], &argument.value),
            Values::Path => {
                self.look(context, move |state| Ok(resources::names(state, sandbox, &argument.value))).await?
            }
        };
        let (has_more, total) = (total > paths.len(), u32::try_from(total).ok());
        let info = CompletionInfo::with_pagination(paths, total, has_more);
        info.map(CompleteResult::new).map_err(|message| ErrorData::internal_error(message, None))
    }

    /// Returns an error for a method of something that this server does not offer.
    pub(super) fn need(&self, is_offered: bool, what: &str) -> Result<(), ErrorData> {
        if is_offered {
            return Ok(());
        }
        let message = format!("this server has no {what}: the tools that they need are not offered");
        Err(ErrorData::new(rmcp::model::ErrorCode::METHOD_NOT_FOUND, message, None))
    }
}

/// Refuses a cursor of a list that has one page.
fn only_page(page: Option<PaginatedRequestParams>) -> Result<(), ErrorData> {
    if page.is_some_and(|page| page.cursor.is_some()) {
        let message = "there is no page with this `cursor`: the first answer has everything";
        return Err(ErrorData::invalid_params(message, None));
    }
    Ok(())
}
