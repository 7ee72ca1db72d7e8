//! The numbers of requests. In place of the id that a client gave to a request, rmcp sees its number.
//!
//! A client may use an id again once its request is answered or cancelled, while the work for a cancelled one still
//! ends. A number is never used again, so an answer to a number that is no longer open is recognized and dropped.

use rmcp::model::{ClientNotification, GetMeta, JsonRpcMessage, RequestId, ServerResult};
use rmcp::service::{RoleServer, RxJsonRpcMessage, TxJsonRpcMessage};

/// The number of a request, unique in its connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RequestNumber(pub i64);

/// A request that was admitted.
#[derive(Clone, Debug)]
pub struct AdmittedRequest {
    /// The id that the client gave it.
    pub id: RequestId,
    /// Its number.
    pub number: RequestNumber,
}

/// Returns the id under which rmcp knows a request.
pub fn of_rmcp(number: RequestNumber) -> RequestId {
    RequestId::Number(number.0)
}

/// Puts the number of a request into the request, or into the notification that cancels it.
pub fn number(message: &mut RxJsonRpcMessage<RoleServer>, number: RequestNumber) {
    match message {
        JsonRpcMessage::Request(request) => request.id = of_rmcp(number),
        JsonRpcMessage::Notification(notification) => {
            if let ClientNotification::CancelledNotification(cancelled) = &mut notification.notification {
                cancelled.params.request_id = Some(of_rmcp(number));
            }
        }
        _ => {}
    }
}

/// Returns the id of the answer that a message is; `None` for other messages.
fn answered(message: &mut TxJsonRpcMessage<RoleServer>) -> Option<&mut RequestId> {
    match message {
        JsonRpcMessage::Response(response) => Some(&mut response.id),
        JsonRpcMessage::Error(error) => error.id.as_mut(),
        _ => None,
    }
}

/// Returns the number of the request that a message answers; `None` for other messages.
pub fn number_answered(message: &mut TxJsonRpcMessage<RoleServer>) -> Option<RequestNumber> {
    match answered(message)? {
        RequestId::Number(number) => Some(RequestNumber(*number)),
        RequestId::String(_) => None,
    }
}

/// Puts the id of the client into a notification that belongs to a request. `id_of` returns the id of an open request.
/// Returns false if the request is no longer open.
pub fn restore_in_notification(
    message: &mut TxJsonRpcMessage<RoleServer>,
    id_of: impl FnOnce(RequestNumber) -> Option<RequestId>,
) -> bool {
    let JsonRpcMessage::Notification(notification) = message else { return true };
    let Some(RequestId::Number(number)) = notification.notification.get_meta().subscription_id() else { return true };
    let id = id_of(RequestNumber(number));
    id.is_some_and(|id| {
        notification.notification.get_meta_mut().set_subscription_id(id);
        true
    })
}

/// Puts the id of the client into an answer.
pub fn restore(message: &mut TxJsonRpcMessage<RoleServer>, id: RequestId) {
    if let JsonRpcMessage::Response(response) = message
        && let ServerResult::SubscriptionsListenResult(result) = &mut response.result
    {
        result.meta.set_subscription_id(id.clone());
    }
    if let Some(answered) = answered(message) {
        *answered = id;
    }
}
